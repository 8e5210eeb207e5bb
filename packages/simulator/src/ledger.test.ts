import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { openLedger } from '#simulator/ledger.ts'
import { temporaryFolder } from '#test/fleet.ts'

const AT = new Date('2026-06-15T10:00:00.000Z')

function command(guid: string, fields: Partial<SendCommand> = {}): SendCommand {
  return { type: 'send', guid, attempt: 1, to: '+34600111222', text: 'Hola', ...fields }
}

function pathOf(t: TestContext): string {
  return join(temporaryFolder(t), 'deep', 'ledger.jsonl')
}

test('everything written is there when the ledger is opened again', async (t) => {
  const path = pathOf(t)
  const ledger = await openLedger(path)
  await ledger.see('d1', command('g1'), AT)
  await ledger.sending('d1', 'g1', 1)
  await ledger.onAir('d1', 'g1', 1, AT)
  await ledger.report('d1', { guid: 'g1', attempt: 1, state: 'sent', at: AT.toISOString(), parts: 1 })
  await ledger.see('d2', command('g2'), AT)
  await ledger.receive('d2', { id: 'i1', from: '+34600111222', text: 'Ok', at: AT.toISOString() })
  await ledger.forbid('d2', 'g3')
  const before = [...ledger.entries()]
  await ledger.close()

  const again = await openLedger(path)
  assert.deepEqual([...again.entries()], before)
  assert.equal(again.find('d1', 'g1', 1)?.report.state, 'sent')
  assert.equal(again.find('d1', 'g1', 1)?.on_air, 1)
  assert.equal(again.find('d2', 'g1', 1), undefined)
  assert.deepEqual(
    again.outbox('d1').map(({ report }) => report?.state),
    ['accepted', 'sent'],
  )
  assert.equal(again.outbox('d2')[1]?.sms?.id, 'i1')
  assert.ok(again.forbidden('d2', 'g3') && !again.forbidden('d1', 'g3'))
  await again.close()
})

test('acknowledged items leave the outbox permanently, and numbers are not used twice', async (t) => {
  const path = pathOf(t)
  const ledger = await openLedger(path)
  const first = await ledger.see('d1', command('g1'), AT)
  await ledger.acknowledge('d1', [first.n])
  assert.deepEqual(ledger.outbox('d1'), [])
  await ledger.close()
  const again = await openLedger(path)
  assert.deepEqual(again.outbox('d1'), [])
  const second = await again.see('d1', command('g2'), AT)
  assert.ok(second.n > first.n)
  await again.close()
})

test('a message stays open until it is settled', async (t) => {
  const ledger = await openLedger(pathOf(t))
  const at = AT.toISOString()
  const open = () => ledger.open('d1').map(({ guid }) => guid)
  for (const guid of ['failed', 'delivered', 'in-doubt']) await ledger.see('d1', command(guid), AT)
  await ledger.see('d1', command('silent', { silent: true }), AT)
  await ledger.onAir('d1', 'in-doubt', 1, AT)

  await ledger.report('d1', { guid: 'failed', attempt: 1, state: 'failed', at })
  await ledger.report('d1', { guid: 'silent', attempt: 1, state: 'sent', at })
  await ledger.report('d1', { guid: 'delivered', attempt: 1, state: 'sent', at })
  await ledger.report('d1', { guid: 'in-doubt', attempt: 1, state: 'failed', code: 'unknown_outcome', at })
  assert.deepEqual(open(), ['delivered', 'in-doubt'])
  for (const guid of open()) await ledger.report('d1', { guid, attempt: 1, state: 'delivered', at })
  assert.deepEqual(open(), [])
  await ledger.close()
})

test('a line torn by a crash is cut off, and the next one is whole', async (t) => {
  const path = pathOf(t)
  const ledger = await openLedger(path)
  await ledger.see('d1', command('g1'), AT)
  await ledger.close()
  appendFileSync(path, '{"kind":"seen","n":2,"uid":"d1","at":"2026-')

  const again = await openLedger(path)
  assert.equal([...again.entries()].length, 1)
  await again.see('d1', command('g2'), AT)
  await again.close()
  const lines = readFileSync(path, 'utf8').split('\n')
  assert.deepEqual(
    lines.map((line) => line && (JSON.parse(line) as { n: number }).n),
    [1, 2, ''],
  )
})

test('a damaged ledger is refused, with its path and line', async (t) => {
  const path = pathOf(t)
  const ledger = await openLedger(path)
  await ledger.see('d1', command('g1'), AT)
  await ledger.close()
  writeFileSync(path, `${readFileSync(path, 'utf8')}broken\n`)
  await assert.rejects(openLedger(path), { message: `The ledger ${path} is damaged at line 2` })
})

test('only its owner can read the ledger', async (t) => {
  const path = pathOf(t)
  await (await openLedger(path)).close()
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('an abandoned ledger keeps the confirmed writes, and confirms nothing more', async (t) => {
  const path = pathOf(t)
  const ledger = await openLedger(path)
  await ledger.see('d1', command('kept'), AT)
  let told = false
  void ledger.see('d1', command('lost'), AT).then(() => (told = true))
  ledger.abandon()
  const again = await openLedger(path)
  assert.deepEqual(
    Array.from(again.entries(), ({ guid }) => guid),
    ['kept'],
  )
  await again.see('d1', command('next'), AT)
  assert.equal(told, false)
  await again.close()
})

test('the lines of one turn are on disk together', async (t) => {
  const ledger = await openLedger(pathOf(t))
  let kept = 0
  const writes = Array.from({ length: 500 }, async (_, i) => {
    await ledger.see('d1', command(`g${i}`), AT)
    kept++
  })
  await Promise.race(writes)
  await new Promise(setImmediate)
  assert.equal(kept, 500)
  await ledger.close()
})
