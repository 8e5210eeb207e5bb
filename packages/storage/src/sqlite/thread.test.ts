import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openThread } from './thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'sdd-thread-'))
const path = join(folder, 'file.db')
const here = new DatabaseSync(path)
here.exec('pragma journal_mode = wal; create table numbers (n integer unique, name text)')
const thread = openThread(path)
after(async () => {
  await thread.close()
  here.close()
  rmSync(folder, { recursive: true })
})

const UP_TO = `with recursive up (n) as (select 1 union all select n + 1 from up where n < ?) select max(n) as n from up`

test('the thread reads rows committed here, by column name', async () => {
  here.exec(`insert into numbers values (1, 'one'), (2, null)`)
  assert.deepEqual(await thread.all('select n, name from numbers where n <= ? order by n', [2]), [
    { n: 1, name: 'one' },
    { n: 2, name: null },
  ])
})

test('while the thread runs a long read, this thread stays free', async () => {
  let turns = 0
  const turning = setInterval(() => turns++, 1)
  assert.deepEqual(await thread.all(UP_TO, [2_000_000]), [{ n: 2_000_000 }])
  clearInterval(turning)
  assert.ok(turns > 5, `${turns} turns`)
})

test('an error in the thread keeps its code, is rolled back, and does not affect later requests', async () => {
  const twice = [`insert into numbers values (3, 'three')`, `insert into numbers values (3, 'again')`]
  await assert.rejects(thread.run(['begin immediate', ...twice, 'commit']), { errcode: 2067 })
  assert.deepEqual(await thread.all('select count(*) as n from numbers where n = ?', [3]), [{ n: 0 }])
  here.exec(`insert into numbers values (3, 'three')`)
})

test('reads in several statements take one request, and other requests are answered meanwhile', async () => {
  const module = asModule(`export const workerRead = {
    async run(tx, { least }) {
      const look = () => tx.query('select name from numbers where n >= :least', { least })
      await new Promise((resolve) => setTimeout(resolve, 300))
      return [await look(), await look()]
    }
  }`)
  let found: unknown
  const work = thread.work(module, { least: 3 }).then((rows) => (found = rows))
  assert.deepEqual(await thread.all('select 1 as n', []), [{ n: 1 }])
  assert.equal(found, undefined)
  await work
  assert.deepEqual(found, [[{ name: 'three' }], [{ name: 'three' }]])
  const faulty = asModule(`export const workerRead = { run: (tx) => tx.query('select * from none') }`)
  await assert.rejects(thread.work(faulty, {}), { message: /no such table/, errcode: 1 })
})

test('requests made before the end are answered, and later ones are rejected', async () => {
  const other = openThread(path)
  const answer = other.all(UP_TO, [100_000])
  const closing = other.close()
  await assert.rejects(other.all('select 1', []), /closed/)
  assert.deepEqual(await answer, [{ n: 100_000 }])
  await closing
})

function asModule(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`
}
