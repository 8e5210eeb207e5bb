import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrokerClient } from './client.ts'

test('the rules hear when this server begins to lead, and when another one does', async (t) => {
  const heard: string[] = []
  const client = openBrokerClient({
    // No server is there: the rules hear before any connection is made.
    address: { url: 'mqtt://127.0.0.1:9' },
    client_id: 'server',
    keep_secs: 60,
    shared: [],
    ordered: [],
    ordered_client_id: 'ordered',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    rules: {
      called: { kind: 'device', field: 'uid' },
      sourceOf: () => undefined,
      received: () => Promise.resolve(),
      leading: () => void heard.push('leading'),
      following: () => void heard.push('following'),
      listening: () => void heard.push('listening'),
    },
    admitted: () => Promise.resolve(),
    codeOf: () => undefined,
  })
  t.after(() => client.stop())
  for (const leads of [false, true, true, false, false]) client.lead(leads)
  assert.deepEqual(heard, ['leading', 'following'])
})
