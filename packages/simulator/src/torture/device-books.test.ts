import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, openScene, sendCommand } from '#test/fleet.ts'
import { readDeviceBooks } from './device-books.ts'
import { expectedState } from './outcome.ts'

test('the books of a fleet list messages on air, reports and acknowledgements', async (t) => {
  const { endpoint, ledger_path, start } = await openScene(t)
  const fleet = await start({ count: 2, behaviour: { replying: 1 } })
  endpoint.acknowledge(({ topic }) => !topic.startsWith('devices/d2/reports'))
  endpoint.command('d1', sendCommand('g1', { text: '€'.repeat(81) }))
  endpoint.command('d2', sendCommand('g2', { silent: true }))
  await eventually('both are sent, and one is answered', () => {
    const { sent, replies } = fleet.stats()
    return sent === 2 && replies === 1
  })
  await eventually('all that can be is acknowledged', () => readDeviceBooks(ledger_path).committed === 4)
  const { attempts, inbox, waiting } = readDeviceBooks(ledger_path)
  const [one] = attempts.get('g1')!
  assert.deepEqual([one!.uid, one!.attempt, one!.parts, one!.on_air], ['d1', 1, 2, 1])
  assert.deepEqual(
    one!.reports.map(({ what, committed }) => [what.state, committed]),
    [
      ['accepted', true],
      ['sent', true],
      ['delivered', true],
    ],
  )
  assert.deepEqual(
    inbox.map(({ uid, what, committed }) => [uid, what.from, committed]),
    [['d1', '+34600111222', true]],
  )
  assert.equal(waiting, 2)
  assert.equal(expectedState(attempts.get('g1')!), 'delivered')
  assert.equal(expectedState(attempts.get('g2')!), 'sent')
})

test('a failure is the final state only if the message was not retried', () => {
  const report = (state: 'accepted' | 'failed' | 'sent', code?: string) => {
    return { what: { guid: 'g', attempt: 1, state, at: '', ...(code && { code }) }, committed: true }
  }
  const attempt = (n: number, ...reports: ReturnType<typeof report>[]) => {
    return { uid: 'd1', attempt: n, parts: 1, on_air: 0, reports }
  }
  const first = attempt(1, report('accepted'), report('failed', 'no_network'))
  assert.equal(expectedState([first]), 'failed')
  assert.equal(expectedState([first, attempt(2, report('accepted'))]), 'handed')
  const doubtful = attempt(2, report('accepted'), report('failed', 'unknown_outcome'))
  assert.equal(expectedState([first, doubtful]), 'uncertain')
  assert.equal(expectedState([]), undefined)
})
