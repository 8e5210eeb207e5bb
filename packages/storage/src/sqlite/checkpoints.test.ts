import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCheckpoints } from './checkpoints.ts'
import { openThread } from './thread.ts'

test('a long log is checkpointed while others write, and then starts from its beginning', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-checkpoints-'))
  const path = join(folder, 'file.db')
  const writer = new DatabaseSync(path)
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table blobs (of blob)')
  const thread = openThread(path)
  const log_pages: number[] = []
  const checkpoints = startCheckpoints({
    log_path: `${path}-wal`,
    thread,
    runBetweenCommits(work) {
      log_pages.push(pages())
      return work()
    },
  })
  context.after(async () => {
    await checkpoints.stop()
    await thread.close()
    writer.close()
    rmSync(folder, { recursive: true })
  })
  const pages = () => (writer.prepare('pragma wal_checkpoint(noop)').get() as { log: number }).log

  writer.exec(
    `insert into blobs with recursive up (n) as (select 1 union all select n + 1 from up where n < 5000) select zeroblob(4000) from up`,
  )
  while (log_pages.length === 0) {
    writer.exec('insert into blobs values (1)')
    await sleep(5)
  }
  assert.ok(log_pages[0]! > 5_000, `${log_pages[0]} pages`)
  // This work lasts until the whole log is in the file; the next writer then starts at its beginning.
  await checkpoints.stop()
  writer.exec('insert into blobs values (1)')
  assert.ok(pages() < 100, `${pages()} pages`)
})
