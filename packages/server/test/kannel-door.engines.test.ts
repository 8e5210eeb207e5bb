import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { unlinkDevice } from '@sdd/contract/fleet/devices.ts'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { eventually } from './device.ts'
import { openDoorCompany } from './door-company.ts'
import { ask } from './http.ts'
import { call } from './server.ts'
import { testedClient } from '../../../scripts/tested-clients.ts'

async function begin(t: TestContext, settings: Record<string, string> = {}, allowed = 'any') {
  const company = await openDoorCompany(t, { KANNEL_PORT: '0', ...settings }, { allowed })
  const base = `http://127.0.0.1:${company.server.kannel_port}/cgi-bin/sendsms`
  const asked = { username: 'rapidpro', password: company.key.key, to: '+34600111222', text: 'hola' }

  async function send(fields: Record<string, string | undefined>, raw = '') {
    const all = Object.entries({ ...asked, ...fields }).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(all as [string, string][])
    const { status, text } = await ask(new URL(`${base}?${query.toString()}${raw}`))
    return `${status} ${text}`
  }
  return { ...company, base, send }
}

const ACCEPTED = '202 0: Accepted for delivery'

test('what RapidPro’s courier sends is a task of the key, and each wanted report is told in order', async (t) => {
  testedClient(t, {
    door: 'Kannel',
    client: 'the parameters of RapidPro’s courier',
    tried: 'sending, and each report in order',
  })
  const { send, join, receiver, heard, tasks, clock } = await begin(t)
  const drone = await join('drone-1', '+34611000001')
  const url = `${receiver.url}/c/kn/8eb23e93/status?id=10&status=%d&p=%p&P=%P&t=%t&T=%T&i=%i&I=%I&F=%F&A=%A&a=%a&x=%x&b=a%20b`
  // The parameters of courier's handler of Kannel.
  const asked = {
    from: '+34611000001',
    text: 'Simple Message ☺',
    to: '+34600111222',
    'dlr-url': url,
    'dlr-mask': '31',
    coding: '2',
    charset: 'utf8',
    priority: '1',
  }
  assert.equal(await send(asked), ACCEPTED)
  const [task] = await tasks()
  const { guid } = task!
  assert.deepEqual(
    [task!.to_number, task!.text, task!.from_number],
    ['+34600111222', 'Simple Message ☺', '+34611000001'],
  )
  await drone.until(1)
  for (const state of ['accepted', 'sent', 'delivered'] as const) await drone.report({ guid, state })
  const told = await heard(3)
  assert.deepEqual(
    told.map(({ method, path }) => `${method} ${path.split('&')[1]}`),
    ['GET status=4', 'GET status=8', 'GET status=1'],
  )
  const fields = Object.fromEntries(new URL(told[2]!.path, receiver.url).searchParams)
  assert.deepEqual(fields, {
    id: '10',
    status: '1',
    p: '+34600111222',
    P: '+34611000001',
    t: '2026-06-10 08:00',
    T: String(clock.now() / 1_000),
    i: 'drone-1',
    I: guid,
    F: guid,
    A: 'delivered',
    a: 'Simple Message ☺',
    x: '',
    b: 'a b',
  })
})

test('a report outside the mask, and an unknown outcome, are not told', async (t) => {
  const { send, join, heard, receiver, tasks, callbacks } = await begin(t)
  const drone = await join('drone-1')
  await send({ 'dlr-mask': '18', 'dlr-url': `${receiver.url}/?d=%d&A=%A` })
  const [first] = await tasks()
  await drone.until(1)
  await drone.report({ guid: first!.guid, state: 'sent' })
  await drone.report({ guid: first!.guid, state: 'undelivered', code: 'absent' })
  await send({ 'dlr-mask': '31', 'dlr-url': `${receiver.url}/?e=%d`, text: 'two' })
  const [second] = await tasks()
  await drone.until(2)
  await drone.report({ guid: second!.guid, state: 'failed', code: 'unknown_outcome' })
  await send({ 'dlr-mask': '16', 'dlr-url': `${receiver.url}/?f=%d&A=%A`, text: 'three' })
  const [third] = await tasks()
  await drone.until(3)
  await drone.report({ guid: third!.guid, state: 'failed', code: 'rejected' })
  await heard(2)
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/?d=2&A=absent', '/?f=16&A=rejected'],
  )
  const told = await eventually(async () => {
    const all = await callbacks()
    return all.every(({ state }) => state === 'delivered') && all
  })
  assert.deepEqual(
    told.map(({ type }) => type),
    ['task.failed', 'task.failed'],
  )
})

test('several recipients each become a task, and refused ones follow the answer', async (t) => {
  testedClient(t, {
    door: 'Kannel',
    client: 'the parameters of Kannel’s manual',
    tried: 'several recipients, some of them refused',
  })
  const { send, server, token, tasks } = await begin(t)
  await call(server, addOptOut, { token, body: { number: '+34600111223' } })
  assert.equal(await send({ to: '600111221,+34600111222 600-x' }), `${ACCEPTED} Denied receivers are: 600-x`)
  assert.equal(
    await send({ to: '+34600111223' }),
    '403 Number(s) has/have been denied by white- and/or black-lists.',
  )
  assert.equal(
    await send({ to: '+34600111223 +34600111224' }),
    `${ACCEPTED} Denied receivers are: +34600111223`,
  )
  assert.deepEqual((await tasks()).map(({ to_number }) => to_number).sort(), [
    '+34600111221',
    '+34600111222',
    '+34600111224',
  ])
})

test('a text is read in its charset, from a query or a form', async (t) => {
  testedClient(t, {
    door: 'Kannel',
    client: 'the parameters of Kannel’s manual',
    tried: 'charsets and codings, in a query and in a form',
  })
  const { base, key, send, tasks } = await begin(t)
  const text = async () => (await tasks())[0]!.text
  assert.equal(await send({ text: undefined, charset: 'iso-8859-1' }, '&text=ma%F1ana+%E9'), ACCEPTED)
  assert.equal(await text(), 'mañana é')
  assert.equal(await send({ text: undefined, coding: '2' }, '&text=%00h%20%AC'), ACCEPTED)
  assert.equal(await text(), 'h€')
  assert.equal(await send({ text: undefined }, '&text=ready?&priority=1'), ACCEPTED)
  assert.equal(await text(), 'ready?')
  const body = `user=x&pass=${key.key}&to=600111222&charset=windows-1252&text=%80uro`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await ask(new URL(base), { method: 'POST', headers, body })
  assert.deepEqual([answer.status, answer.text], [202, '0: Accepted for delivery'])
  assert.equal(await text(), '€uro')
})

test('validity and deferred are minutes, and a sender that is no SIM of the company is ignored', async (t) => {
  testedClient(t, {
    door: 'Kannel',
    client: 'the parameters of Kannel’s manual',
    tried: '`validity`, `deferred`, and a sender that is no SIM',
  })
  const { send, tasks, clock } = await begin(t)
  assert.equal(await send({ from: 'ACME', validity: '90', deferred: '30' }), ACCEPTED)
  const [task] = await tasks()
  assert.equal(Date.parse(task!.expires_at) - clock.now(), 90 * 60_000)
  assert.equal(task!.waiting_code, 'not_before')
  assert.equal(task!.from_number, null)
})

test('the number of a SIM in an unlinked device is no sender of the company any more', async (t) => {
  const { send, join, server, token, tasks } = await begin(t)
  const gone = await join('gone', '+34611000001')
  const other = await join('other')
  await call(server, unlinkDevice, { token, params: { uid: gone.uid } })
  assert.equal(await send({ from: '+34611000001' }), ACCEPTED)
  await other.until(1)
  assert.deepEqual(
    (await tasks()).map(({ from_number, device_guid_assigned }) => [from_number, device_guid_assigned]),
    [[null, 'other']],
  )
})

test('half a character in the text, the sender or a report of a device is told as U+FFFD', async (t) => {
  const { send, join, createWebhook, receiver, heard, tasks, clock } = await begin(t)
  const drone = await join('drone-1')
  const url = `${receiver.url}/?t=%a&p=%p`
  await createWebhook({ url, types: ['sms.received'], format: 'kannel' })
  const at = new Date(clock.now()).toISOString()
  await drone.publish('inbox', { id: 'half', from: 'Shop\ud83d', text: 'hi \ud83d', at })
  assert.equal((await heard(1))[0]!.path, '/?t=hi%20%EF%BF%BD&p=Shop%EF%BF%BD')
  await send({ 'dlr-mask': '31', 'dlr-url': `${receiver.url}/?d=%d&A=%A` })
  await drone.until(1)
  await drone.report({ guid: (await tasks())[0]!.guid, state: 'failed', code: 'bad \ude00' })
  assert.equal((await heard(2))[1]!.path, '/?d=16&A=bad%20%EF%BF%BD')
})

test('refusals are those of Kannel', async (t) => {
  testedClient(t, {
    door: 'Kannel',
    client: 'the parameters of Kannel’s manual',
    tried: 'the answers of refusals',
  })
  const { base, send, createKey, tasks } = await begin(t, { KANNEL_PORT: '0' }, 'public')
  const reader = await createKey({ may: ['tasks:read'] })
  const DENIED = '403 Authorization failed for sendsms'
  const refusals: [fields: Record<string, string | undefined>, answer: string][] = [
    [{ password: 'wrong' }, DENIED],
    [{ password: undefined }, DENIED],
    [{ password: reader.key }, DENIED],
    [{ to: undefined }, '400 Missing receiver number, rejected'],
    [{ to: '12' }, '400 Receiver number misformed, rejected'],
    [{ text: undefined }, '400 Missing message body, rejected'],
    [{ text: 'x'.repeat(1_531) }, '400 Message body too long, rejected'],
    [{ charset: 'klingon' }, '400 Charset or body misformed, rejected'],
    [{ coding: '1' }, '400 Coding field misformed, rejected'],
    [{ udh: '050003' }, '400 UDH field misformed, rejected'],
    [{ mclass: '0' }, '400 MClass field misformed, rejected'],
    [{ mwi: '1' }, '400 MWI field misformed, rejected'],
    [{ validity: 'soon' }, '400 Validity field misformed, rejected'],
    [{ validity: '999999999' }, '400 Validity field misformed, rejected'],
    [{ deferred: '-1' }, '400 Validity field misformed, rejected'],
    [{ 'dlr-mask': 'x' }, '400 DLR mask field misformed, rejected'],
    [{ 'dlr-mask': '31', 'dlr-url': 'gopher://x' }, '400 DLR-URL field misformed, rejected'],
    [{ 'dlr-mask': '31', 'dlr-url': 'http://example.com/a b' }, '400 DLR-URL field misformed, rejected'],
    [{ 'dlr-mask': '31', 'dlr-url': 'http://127.0.0.1/' }, '400 DLR-URL field misformed, rejected'],
  ]
  for (const [fields, answer] of refusals) assert.equal(await send(fields), answer, JSON.stringify(fields))
  assert.equal(await send({ text: undefined }, '&text=%FF'), '400 Charset or body misformed, rejected')
  for (const [type, body, said] of [
    ['application/x-www-form-urlencoded', 'x'.repeat(70_000), 'Message body too long, rejected'],
    ['application/json', '{}', 'Charset or body misformed, rejected'],
  ] as const) {
    const posted = await ask(new URL(base), { method: 'POST', headers: { 'content-type': type }, body })
    assert.deepEqual([posted.status, posted.text], [400, said])
  }
  const { status, text } = await ask(new URL('/cgi-bin/other', base))
  assert.equal(`${status} ${text}`, '404 Unknown request.')
  assert.deepEqual(await tasks(), [])
})

test('other methods are refused in plain text, and send nothing', async (t) => {
  const { base, key, tasks } = await begin(t)
  const query = new URLSearchParams({ username: 'x', password: key.key, to: '+34600111222', text: 'hola' })
  const PLAIN = 'text/plain; charset=utf-8'
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
    const { status, headers, text } = await ask(new URL(`${base}?${query.toString()}`), { method })
    const said = method === 'HEAD' ? '' : 'Method not allowed.'
    const shown = [status, headers.get('content-type'), headers.get('allow'), text]
    assert.deepEqual(shown, [405, PLAIN, 'GET, POST', said], method)
    const other = await ask(new URL('/other', base), { method })
    assert.deepEqual([other.status, other.headers.get('content-type')], [404, PLAIN], method)
  }
  assert.deepEqual(await tasks(), [])
})

test('a key may hand in as many messages a second as DOORS_RATE says', async (t) => {
  const { send } = await begin(t, { DOORS_RATE: '2' })
  const BUSY = '503 Temporal failure, try again later.'
  assert.equal(await send({ to: '600111221 600111222' }), ACCEPTED)
  assert.equal(await send({}), BUSY)
})

test('wrong keys count as wrong passwords of their address', async (t) => {
  const { send } = await begin(t)
  for (let tries = 0; tries < 50; tries++) assert.match(await send({ password: `sdk_${tries}` }), /^403 /)
  assert.equal(await send({ password: 'sdk_last' }), '503 Temporal failure, try again later.')
})
