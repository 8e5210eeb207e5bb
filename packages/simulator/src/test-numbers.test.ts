import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usage } from '#simulator/options.ts'
import { TEST_NUMBERS } from '#simulator/test-numbers.ts'
import { openScene, sendCommand } from '#test/fleet.ts'

const states: Record<string, string[]> = {
  '+447700900001': ['accepted', 'failed invalid_destination'],
  '+447700900002': ['accepted', 'failed no_credit'],
  '+447700900003': ['accepted', 'sent', 'undelivered absent_subscriber'],
  '+447700900004': ['accepted', 'failed unknown_outcome'],
  '+447700900005': ['accepted', 'sent'],
  '+447700900006': ['accepted', 'sent', 'delivered'],
  '+447700900007': ['accepted', 'sent', 'delivered'],
  '+447700900008': ['accepted', 'failed no_network'],
}

test('a message for a test number ends as the help says, even on a device where every message fails', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({ behaviour: { failing: 1 } })
  for (const [to, expected] of Object.entries(states)) {
    const guid = to.slice(1)
    endpoint.command('d1', sendCommand(guid, { to }))
    await endpoint.until(to, () => endpoint.reports(guid).length === expected.length)
    const said = endpoint.reports(guid).map(({ state, code }) => [state, code].filter(Boolean).join(' '))
    assert.deepEqual(said, expected, to)
  }
  const replies = await endpoint.until('both replies', () => {
    const inbox = endpoint.published('d1', 'inbox').map(({ payload }) => payload as Record<string, string>)
    return inbox.length === 2 && inbox
  })
  assert.deepEqual(new Set(replies.map(({ from }) => from)), new Set(['+447700900006', '+447700900007']))
  assert.equal(replies.find(({ from }) => from === '+447700900007')?.text, 'BAJA')
  assert.deepEqual(Object.keys(states), Object.keys(TEST_NUMBERS))
  for (const number of Object.keys(TEST_NUMBERS)) assert.ok(usage().includes(number))
})

test('the number that fails once succeeds at the second attempt', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start()
  const to = '+447700900008'
  endpoint.command('d1', sendCommand('again', { to, attempt: 2 }))
  const reports = await endpoint.until('delivered', () => {
    const reports = endpoint.reports('again')
    return reports.length === 3 && reports
  })
  assert.deepEqual(
    reports.map(({ state }) => state),
    ['accepted', 'sent', 'delivered'],
  )
})

test('one device of a fleet may behave differently', async (t) => {
  const { endpoint, start } = await openScene(t)
  await start({
    devices: [
      { uid: 'd1', secret: 'secret 1' },
      { uid: 'd2', secret: 'secret 2', behaviour: { failing: 1 } },
    ],
  })
  endpoint.command('d1', sendCommand('fine'))
  endpoint.command('d2', sendCommand('broken'))
  await endpoint.until(
    'both outcomes',
    () => endpoint.reports('fine').length === 3 && endpoint.reports('broken').length === 2,
  )
  assert.equal(endpoint.reports('broken')[1]?.state, 'failed')
})
