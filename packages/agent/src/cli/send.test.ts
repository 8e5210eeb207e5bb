import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { DriverKind } from '#agent/drivers.ts'
import { openLedger } from '#agent/ledger/ledger.ts'
import { openScene, temporaryFolder } from '#test/agents.ts'
import { scriptedKind } from '#test/scripted.ts'
import { openTerminal } from '#test/terminal.ts'

test('a local test sends one SMS by the linked device and waits for its delivery', async (t) => {
  const { folder, air, endpoint } = await openScene(t)
  const { status, printed } = await openTerminal(t, folder)('send', '+34 600 111 222', 'parts=2 delivered')
  assert.equal(status, 0)
  assert.equal(
    printed,
    'scripted radio: registered\nPart 1 of 2 is sent.\nPart 2 of 2 is sent.\nSent in 2 parts.\nDelivered.',
  )
  assert.deepEqual(
    air().map(({ to, n }) => [to, n]),
    [
      ['+34600111222', 1],
      ['+34600111222', 2],
    ],
  )
  assert.deepEqual(endpoint.connects, [])
})

test('it also tests a radio that is not linked yet, and leaves incoming SMS on its SIM', async (t) => {
  const [folder, radio] = [temporaryFolder(t), temporaryFolder(t)]
  mkdirSync(join(radio, 'sim'))
  writeFileSync(join(radio, 'sim', '1.json'), JSON.stringify({ id: 's1', from: '1', text: 'Sí', at: '' }))
  const driver = ['--driver', 'scripted', '--folder', radio]
  const { status, printed } = await openTerminal(t, folder)(
    'send',
    '600111222',
    'ms=200 delivered',
    ...driver,
  )
  assert.equal(status, 0)
  assert.match(printed, /Sent in 1 part\.\nDelivered\.$/)
  assert.deepEqual(readdirSync(join(radio, 'sim')), ['1.json'])
})

test('SMS that arrive during a test are kept for the server', async (t) => {
  const { folder, radio, receive, run, endpoint } = await openScene(t)
  receive('1', { id: 's1', from: '+34600111222', text: 'Sí', at: '2026-03-01T10:00:00Z' })
  await openTerminal(t, folder)('send', '600111222', 'ms=300 delivered')
  assert.deepEqual(readdirSync(join(radio, 'sim')), [])
  run()
  await endpoint.until('the SMS', () => endpoint.inbox().some(({ text }) => text === 'Sí'))
})

test('the report of the test settles no message of the server, even if it arrives before the answer of the radio', async (t) => {
  for (const kind of [scriptedKind(), withEarlyReports(scriptedKind())]) {
    const { folder } = await openScene(t)
    const ledger = openLedger(join(folder, 'ledger.db'))
    const { commands, outbox } = ledger.device('d1')
    const at = new Date().toISOString()
    commands.see({ type: 'send', guid: 'g1', attempt: 1, to: '+34600111222', text: 'Hola' }, at)
    const entry = commands.next()!
    commands.beginSending(entry, at)
    const detail = 'no answer'
    commands.end(entry, { state: 'failed', code: 'unknown_outcome', detail, block: false, parts: 0 }, at)
    const type = openTerminal(t, folder, { kinds: { scripted: kind } })
    const { printed } = await type('send', '600111222', 'delivered')
    assert.match(printed, /Delivered\.$/)
    const states = outbox.after(0, 10).map(({ payload }) => (JSON.parse(payload) as Report).state)
    assert.deepEqual(states, ['accepted', 'failed'])
    ledger.close()
  }
})

test("a failure is shown in the radio's words, and by the exit status", async (t) => {
  const { folder } = await openScene(t)
  const { status, printed } = await openTerminal(t, folder)('send', '600111222', 'fail=no_network')
  assert.equal(status, 1)
  assert.match(printed, /Failed \(no_network\): part 1 failed$/)
})

test('it does not take the radio from a running agent, and explains wrong arguments', async (t) => {
  const { folder, endpoint, run } = await openScene(t, { devices: ['d1', 'd2'] })
  const type = openTerminal(t, folder)
  const wrong: [string[], RegExp][] = [
    [['send', 'Ana', 'Hola', '--uid', 'd1'], /^NUMBER Ana must be \+ and 6 to 15 digits/],
    [['send', '600111222'], /^TEXT is missing/],
    [['send', '600111222', 'two', 'words'], /^"words" is one argument too many: put the text in quotes/],
    [['send', '600111222', 'Hola'], /^--uid is missing: d1 or d2/],
    [['send', '600111222', 'Hola', '--uid', 'd3'], /^--uid d3 is not linked here/],
    [['send', '600111222', 'Hola', '--driver', 'pigeon'], /^--driver pigeon is not known/],
  ]
  for (const [args, complaint] of wrong) assert.match((await type(...args)).complained, complaint)
  run()
  await endpoint.until('connected', () => endpoint.connected('d1'))
  const { complained } = await type('send', '600111222', 'Hola', '--uid', 'd1')
  assert.match(complained, /^An agent \(process \d+\) runs on .* already: stop it first/)
})

test('a radio that does not become ready within a minute sends nothing', async (t) => {
  const { folder, radio, air } = await openScene(t)
  writeFileSync(join(radio, 'no-network'), '')
  const { status, printed } = await openTerminal(t, folder, { hurry: 1_000 })('send', '600111222', 'Hola')
  assert.deepEqual([status, printed], [1, 'scripted radio: no network\nNothing was sent.'])
  assert.deepEqual(air(), [])
})

/** A radio whose delivery reports arrive before its answer. */
function withEarlyReports(kind: DriverKind): DriverKind {
  return {
    ...kind,
    async open(needs) {
      const driver = await kind.open(needs)
      return {
        ...driver,
        send: (message, progress) =>
          driver.send(message, {
            ...progress,
            async partSent(part) {
              const at = new Date().toISOString()
              const { to } = message
              void needs.keeper.delivery({ reference: part.reference!, to, state: 'delivered', at })
              await new Promise((resolve) => setTimeout(resolve, 20))
              await progress.partSent(part)
            },
          }),
      }
    },
  }
}
