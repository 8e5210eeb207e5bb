import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { endPreviousKey, rotateApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { saveQuotas } from '@sdd/contract/accounts/quotas.ts'
import { saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { rotateWebhook } from '@sdd/contract/outward/callbacks.ts'
import type { TestClock } from './clock.ts'
import { eventually, type TestDevice } from './device.ts'
import { call } from './server.ts'
import { formOf, openTwilioCompany, TO } from './twilio-company.ts'
import { testedClient } from '../../../scripts/tested-clients.ts'

const HOOK = { types: ['sms.received'], format: 'twilio' }

/** Publishes an SMS with this text, which is also its id. */
function receive(drone: TestDevice, clock: TestClock, text: string) {
  return drone.publish('inbox', { id: text, from: TO, text, at: new Date(clock.now()).toISOString() })
}

test('a webhook with Twilio’s format gets received SMS, and its answer is sent once', async (t) => {
  testedClient(t, {
    door: 'Twilio',
    client: '`twilio`',
    npm: 'twilio',
    tried: 'a webhook for received SMS: its form, signature, and an SMS in the answer',
  })
  const TWIML =
    '<?xml version="1.0"?><Response><Message>Thanks &amp; bye</Message><Message><Body>two</Body></Message></Response>'
  let tries = 0
  const { key, createWebhook, createKey, receiver, join, heard, tasks, clock } = await openTwilioCompany(
    t,
    {},
    (_, response) => {
      tries++
      response.writeHead(200, { 'content-type': 'text/xml' }).end(TWIML)
    },
  )
  const blind = await createKey()
  const hook = { ...HOOK, url: `${receiver.url}/sms` }
  for (const [wrong, field] of [
    [{}, 'api_key_id'],
    [{ api_key_id: blind.id }, 'api_key_id'],
    [{ api_key_id: key.id, types: ['task.sent'] }, 'types'],
  ] as const) {
    const { status, body } = await createWebhook({ ...hook, ...wrong })
    assert.deepEqual([status, Object.keys(body.fields ?? {})], [422, [field]])
  }
  const made = await createWebhook({ ...hook, api_key_id: key.id })
  assert.deepEqual([made.status, made.body.format, made.body.api_key_id], [201, 'twilio', key.id])
  await createWebhook({
    url: `${receiver.url}/kannel?from=%p&to=%P&text=%a&id=%I&device=%i`,
    types: ['sms.received'],
    format: 'kannel',
    api_key_id: key.id,
  })
  const drone = await join('drone-1', '+34611000001')
  await receive(drone, clock, 'hola ☺')
  const told = await heard(2)
  const posted = told.find(({ method }) => method === 'POST')!
  const form = formOf(posted, receiver.url, key.webhook_secret)
  const { MessageSid, AccountSid, ...rest } = form
  assert.match(MessageSid!, /^SM[0-9a-f]{32}$/)
  assert.match(AccountSid!, /^AC[0-9a-f]{32}$/)
  assert.deepEqual(rest, {
    SmsSid: MessageSid,
    SmsMessageSid: MessageSid,
    From: TO,
    To: '+34611000001',
    Body: 'hola ☺',
    NumMedia: '0',
    NumSegments: '1',
    SmsStatus: 'received',
    ApiVersion: '2010-04-01',
  })
  const got = new URL(told.find(({ method }) => method === 'GET')!.path, receiver.url)
  assert.equal(got.pathname, '/kannel')
  const { from, to, text, device } = Object.fromEntries(got.searchParams)
  assert.deepEqual([from, to, text, device], [TO, '+34611000001', 'hola ☺', 'drone-1'])
  const commands = await drone.until(2)
  assert.deepEqual(commands.map(({ to, text }) => `${to} ${text}`).sort(), [
    `${TO} Thanks & bye`,
    `${TO} two`,
  ])
  assert.equal((await tasks()).length, 2)
  assert.equal(tries, 2)
})

/** A company whose webhook answers each SMS that `hear` publishes with these messages. */
async function openReplying(t: TestContext, messages: readonly string[]) {
  const company = await openTwilioCompany(t, {}, (_, response) => {
    const twiml = messages.map((text) => `<Message>${text}</Message>`).join('')
    response.writeHead(200, { 'content-type': 'text/xml' }).end(`<Response>${twiml}</Response>`)
  })
  const { key, createWebhook, receiver, join, clock } = company
  await createWebhook({ ...HOOK, url: receiver.url, api_key_id: key.id })
  const drone = await join('drone-1')
  return { ...company, drone, hear: (text: string) => receive(drone, clock, text) }
}

test('an answer that no SMS can carry is dropped, and told once', async (t) => {
  const { hear, drone, receiver, callbacks } = await openReplying(t, ['x'.repeat(2_001), '&#xD800;', 'bye'])
  await hear('one')
  await hear('two')
  const commands = await drone.until(2)
  assert.deepEqual(
    commands.map(({ text }) => text),
    ['bye', 'bye'],
  )
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'))
  assert.equal(receiver.received.length, 2)
})

test('an answer that cannot be taken now is asked for again, and sent once', async (t) => {
  const { hear, drone, receiver, callbacks, clock, server, token, superadmin } = await openReplying(t, [
    'one',
    'two',
  ])
  const quota = (waiting_tasks: number | null) =>
    call(server, saveQuotas, { token: superadmin, query: { company: '2' }, body: { waiting_tasks } })
  const sending = (send_enabled: boolean) =>
    call(server, saveGlobalSettings, { token, body: { spoof_time_secs: 0, send_enabled } })
  await sending(false)
  await quota(1)
  await hear('hello')
  const failed = await eventually(async () => (await callbacks()).find(({ tries }) => tries === 1))
  assert.deepEqual(
    [failed.state, failed.last_status, failed.last_error_code],
    ['waiting', 200, 'answer_not_sent'],
  )
  await quota(null)
  await sending(true)
  clock.advance(5_000)
  const commands = await drone.until(2)
  assert.deepEqual(
    commands.map(({ text }) => text),
    ['one', 'two'],
  )
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'))
  assert.equal(receiver.received.length, 2)
})

test('during the overlap of a rotation the previous secret signs, and then the new one', async (t) => {
  const { server, token, key, createWebhook, receiver, join, heard, clock } = await openTwilioCompany(t)
  const hook = { ...HOOK, url: `${receiver.url}/sms`, api_key_id: key.id }
  const { id } = (await createWebhook(hook)).body
  const drone = await join('drone-1')
  const hear = async (text: string, count: number) => {
    await receive(drone, clock, text)
    return (await heard(count))[count - 1]!
  }
  const params = { id: key.id }
  const { webhook_secret } = (await call(server, rotateApiKey, { token, params, body: {} })).body
  await call(server, rotateWebhook, { token, params: { id }, body: {} })
  assert.equal(formOf(await hear('one', 1), receiver.url, key.webhook_secret).Body, 'one')
  await call(server, endPreviousKey, { token, params })
  assert.equal(formOf(await hear('two', 2), receiver.url, webhook_secret).Body, 'two')
})
