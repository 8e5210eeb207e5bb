import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { readEvent } from './webhooks.ts'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes ....').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another secret of a key.').toString('base64')}`
const NOW_MS = Date.parse('2026-06-10T08:00:00Z')
const BODY = '{"type":"webhook.test","at":"2026-06-10T08:00:00.000Z","webhook":7}'

function sign(secret: string, timestamp = NOW_MS / 1_000): Record<string, string> {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${BODY}`).digest('base64')
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}

const read = (headers: Record<string, string | undefined>, body = BODY) =>
  readEvent({ headers, body, secret: SECRET, now_ms: NOW_MS })

test('a genuine callback is read', async () => {
  assert.deepEqual(await read(sign(SECRET)), JSON.parse(BODY))
  const headers = new Headers(sign(SECRET))
  assert.deepEqual(await readEvent({ headers, body: BODY, secret: SECRET, now_ms: NOW_MS }), JSON.parse(BODY))
})

test('during the overlap of a rotation one of two signatures is enough', async () => {
  const both = `${sign(OTHER)['webhook-signature']} ${sign(SECRET)['webhook-signature']}`
  assert.deepEqual(await read({ ...sign(SECRET), 'webhook-signature': both }), JSON.parse(BODY))
})

for (const [what, headers, body] of [
  ['another secret', sign(OTHER), BODY],
  ['a changed body', sign(SECRET), BODY.replace('7', '8')],
  ['an old time', sign(SECRET, NOW_MS / 1_000 - 301), BODY],
  ['a future time', sign(SECRET, NOW_MS / 1_000 + 301), BODY],
  ['no time', { ...sign(SECRET), 'webhook-timestamp': 'soon' }, BODY],
  ['no signature', { ...sign(SECRET), 'webhook-signature': undefined }, BODY],
  ['another version of signatures', { ...sign(SECRET), 'webhook-signature': 'v2,AAAA' }, BODY],
  ['a signature that is not Base64', { ...sign(SECRET), 'webhook-signature': 'v1,%' }, BODY],
] as const) {
  test(`a callback with ${what} is rejected`, async () => {
    await assert.rejects(read(headers, body), { name: 'WebhookError' })
  })
}
