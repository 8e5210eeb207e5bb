import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { createTasks, readTask } from '@sdd/contract/tasks/tasks.ts'
import { ask } from './http.ts'
import { call } from './server.ts'
import { ACCOUNT, formOf, openTwilioCompany, TO } from './twilio-company.ts'
import { testedClient } from '../../../scripts/tested-clients.ts'

test('the official client creates, fetches and lists a message, and hears of its states', async (t) => {
  testedClient(t, {
    door: 'Twilio',
    client: '`twilio`',
    npm: 'twilio',
    tried: 'create, fetch, list, signed status callbacks',
  })
  const { client, join, receiver, key, heard, tasks, clock } = await openTwilioCompany(t)
  const drone = await join('drone-1', '+34611000001')
  const made = await client.messages.create({
    to: '600 111 222',
    from: '+34611000001',
    body: 'Hello ☺',
    statusCallback: `${receiver.url}/status?a=1&b=%20`,
  })
  assert.match(made.sid, /^SM[0-9a-f]{32}$/)
  const { dateCreated, subresourceUris, uri, ...shown } = made.toJSON() as unknown as Record<string, unknown>
  assert.deepEqual(shown, {
    accountSid: ACCOUNT,
    apiVersion: '2010-04-01',
    body: 'Hello ☺',
    dateSent: null,
    dateUpdated: new Date(clock.now()),
    direction: 'outbound-api',
    errorCode: null,
    errorMessage: null,
    from: '+34611000001',
    messagingServiceSid: null,
    numMedia: '0',
    numSegments: '1',
    price: null,
    priceUnit: null,
    sid: made.sid,
    status: 'queued',
    to: TO,
  })
  assert.deepEqual(dateCreated, new Date(clock.now()))
  assert.equal(uri, `/2010-04-01/Accounts/${ACCOUNT}/Messages/${made.sid}.json`)
  assert.deepEqual(Object.keys(subresourceUris as object), ['media'])
  assert.equal((await tasks())[0]!.guid, made.sid)

  await drone.until(1)
  await drone.report({ guid: made.sid, state: 'accepted' })
  assert.equal((await client.messages(made.sid).fetch()).status, 'sending')
  await drone.report({ guid: made.sid, state: 'sent' })
  await drone.report({ guid: made.sid, state: 'delivered' })
  const fetched = await client.messages(made.sid).fetch()
  assert.equal(fetched.status, 'delivered')
  assert.ok(fetched.dateSent)
  const [listed, ...others] = await client.messages.list()
  assert.deepEqual([listed!.sid, others.length], [made.sid, 0])

  const told = await heard(2)
  const forms = told.map((one) => formOf(one, receiver.url, key.webhook_secret))
  assert.deepEqual(
    forms.map(({ MessageStatus }) => MessageStatus),
    ['sent', 'delivered'],
  )
  assert.deepEqual(forms[1], {
    SmsSid: made.sid,
    SmsStatus: 'delivered',
    MessageStatus: 'delivered',
    To: TO,
    From: '+34611000001',
    MessageSid: made.sid,
    AccountSid: ACCOUNT,
    ApiVersion: '2010-04-01',
  })
  assert.equal(told[0]!.path, '/status?a=1&b=%20')
})

test('failures and unknown outcomes are told as Twilio tells them', async (t) => {
  testedClient(t, {
    door: 'Twilio',
    client: '`twilio`',
    npm: 'twilio',
    tried: 'the states of failures and unknown outcomes',
  })
  const { client, join, receiver, heard } = await openTwilioCompany(t)
  const drone = await join('drone-1')
  const outcomes = [
    [{ state: 'failed', code: 'rejected' }, 'failed 30008'],
    [{ state: 'failed', code: 'unknown_outcome' }, 'sent 30008'],
  ] as const
  for (const [place, [report, status]] of outcomes.entries()) {
    const statusCallback = `${receiver.url}/${place}`
    const { sid } = await client.messages.create({
      to: TO,
      body: `no ${place}`,
      messagingServiceSid: 'MG1',
      statusCallback,
    })
    await drone.until(place + 1)
    await drone.report({ guid: sid, ...report })
    const { status: shown, errorCode } = await client.messages(sid).fetch()
    assert.equal(`${shown} ${errorCode}`, status)
    const form = new URLSearchParams((await heard(place + 1))[place]!.text)
    assert.equal(`${form.get('MessageStatus')} ${form.get('ErrorCode')}`, status)
  }
})

test('a scheduled message waits, and is canceled until a device has it', async (t) => {
  testedClient(t, { door: 'Twilio', client: '`twilio`', npm: 'twilio', tried: 'scheduling and canceling' })
  const { client, clock, join } = await openTwilioCompany(t)
  const sendAt = new Date(clock.now() + 3_600_000)
  const body = { to: TO, messagingServiceSid: 'MG1', body: 'later' }
  const { sid, status, messagingServiceSid } = await client.messages.create({
    ...body,
    sendAt,
    scheduleType: 'fixed',
    validityPeriod: 600,
  })
  assert.deepEqual([status, messagingServiceSid], ['scheduled', 'MG1'])
  assert.equal((await client.messages(sid).update({ status: 'canceled' })).status, 'canceled')
  const drone = await join('drone-1')
  const now = await client.messages.create(body)
  await drone.until(1)
  await assert.rejects(client.messages(now.sid).update({ status: 'canceled' }), { status: 400, code: 30409 })
})

test('a task of another way in is no message of Twilio, and is not canceled', async (t) => {
  const { client, server, key } = await openTwilioCompany(t)
  const guid = '5f0c3c1e-0000-4000-8000-000000000001'
  const task = { guid, to_number: TO, text: 'Hola' }
  await call(server, createTasks, { token: key.key, body: { tasks: [task] } })
  await assert.rejects(client.messages(guid).update({ status: 'canceled' }), { status: 404, code: 20404 })
  const read = await call(server, readTask, { token: key.key, params: { guid } })
  assert.equal(read.body.state, 'received')
})

test('refusals have Twilio’s codes', async (t) => {
  testedClient(t, { door: 'Twilio', client: '`twilio`', npm: 'twilio', tried: 'the codes of refusals' })
  const { client, clientOf, createKey, server, token, tasks } = await openTwilioCompany(t)
  await call(server, addOptOut, { token, body: { number: '+34600111223' } })
  const good = { to: TO, body: 'hola', messagingServiceSid: 'MG1' }
  const refusals: [asked: Record<string, unknown>, status: number, code: number][] = [
    [{ to: '' }, 400, 21604],
    [{ to: '12' }, 400, 21211],
    [{ body: '' }, 400, 21602],
    [{ body: 'x'.repeat(1_531) }, 400, 21617],
    [{ to: '+34600111223' }, 400, 21610],
    [{ messagingServiceSid: '' }, 400, 21603],
    [{ from: '+34699999999' }, 400, 21606],
    [{ mediaUrl: ['https://example.com/a.png'] }, 400, 21620],
    [{ statusCallback: 'ftp://example.com' }, 400, 21609],
    [{ statusCallback: 'http://example.com/a b' }, 400, 21609],
  ]
  for (const [asked, status, code] of refusals)
    await assert.rejects(
      client.messages.create({ ...good, ...asked }),
      { status, code },
      JSON.stringify(asked),
    )
  const writer = await createKey({ may: ['tasks:read'] })
  for (const key of ['sdk_wrong', writer.key])
    await assert.rejects(clientOf(key).messages.create(good), { status: 401, code: 20003 })
  await assert.rejects(client.messages(`SM${'0'.repeat(32)}`).fetch(), { status: 404, code: 20404 })
  assert.deepEqual(await tasks(), [])
  const url = new URL(`/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, server.url)
  const { status, headers, text } = await ask(url)
  assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Basic realm="Twilio API"'])
  assert.deepEqual(JSON.parse(text), {
    code: 20003,
    message: 'Authenticate',
    more_info: 'https://www.twilio.com/docs/errors/20003',
    status: 401,
  })
})

test('a list has received SMS in it, and is filtered and paged', async (t) => {
  testedClient(t, { door: 'Twilio', client: '`twilio`', npm: 'twilio', tried: 'filters and pages of a list' })
  const { client, clientOf, createKey, clock, join } = await openTwilioCompany(t)
  const drone = await join('drone-1', '+34611000001')
  const at = () => new Date(clock.now()).toISOString()
  for (let n = 0; n < 5; n++) {
    await client.messages.create({ to: `+3460011122${n}`, body: `out ${n}`, messagingServiceSid: 'MG1' })
    clock.advance(1_000)
    await drone.publish('inbox', { id: `in-${n}`, from: TO, text: `in ${n}`, at: at(), sim: '+34611000001' })
    clock.advance(1_000)
  }
  const all = await client.messages.list({ pageSize: 3 })
  assert.deepEqual(
    all.map(({ body }) => body),
    [4, 3, 2, 1, 0].flatMap((n) => [`in ${n}`, `out ${n}`]),
  )
  const [received] = all
  const { sid, direction, status, from, to } = received!
  assert.deepEqual([direction, status, from], ['inbound', 'received', TO])
  assert.ok(to === '+34611000001' || to === null, to)
  assert.equal((await client.messages(sid).fetch()).body, 'in 4')
  const bodies = async (query: object) => (await client.messages.list(query)).map(({ body }) => body)
  assert.deepEqual(await bodies({ to: '600 111 223' }), ['out 3'])
  assert.equal((await bodies({ from: TO })).length, 5)
  assert.equal((await bodies({ dateSent: new Date(clock.now()) })).length, 10)
  assert.equal((await bodies({ dateSentAfter: new Date(clock.now() - 3_000) })).length, 3)
  assert.equal((await bodies({ dateSentBefore: new Date(clock.now() - 86_400_000) })).length, 0)
  const blind = clientOf((await createKey()).key)
  assert.equal((await blind.messages.list()).length, 5)
  await assert.rejects(blind.messages(sid).fetch(), { code: 20404 })
})

test('an account and a user are anything that begins with AC or SK', async (t) => {
  const { server, key, receiver, join, heard } = await openTwilioCompany(t)
  const drone = await join('drone-1')
  const askAs = (user: string, path: string, body?: URLSearchParams) => {
    const authorization = `Basic ${Buffer.from(`${user}:${key.key}`).toString('base64')}`
    const method = body ? 'POST' : 'GET'
    return ask(new URL(path, server.url), { method, headers: { authorization }, body })
  }
  const form = (text: string) =>
    new URLSearchParams({ To: TO, Body: text, MessagingServiceSid: 'MG1', StatusCallback: receiver.url })
  for (const [place, account] of ['AC-x', 'SK', 'AC shop/1?ñ %20'].entries()) {
    const path = `/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`
    const made = await askAs('SK.other-key', path, form(`hola ${place}`))
    assert.equal(made.status, 201, made.text)
    const { account_sid, sid, uri } = JSON.parse(made.text) as Record<string, string>
    assert.equal(account_sid, account)
    assert.equal((await askAs(account, uri!)).status, 200)
    const listed = await askAs(account, `${path}?PageSize=50`)
    const { first_page_uri } = JSON.parse(listed.text) as Record<string, string>
    assert.equal((await askAs(account, first_page_uri!)).status, 200)
    await drone.until(place + 1)
    await drone.report({ guid: sid!, state: 'sent' })
    const told = (await heard(place + 1))[place]!
    assert.equal(new URLSearchParams(told.text).get('AccountSid'), account)
  }
  for (const [user, account] of [
    ['me', ACCOUNT],
    [ACCOUNT, 'me'],
  ] as const)
    assert.equal((await askAs(user, `/2010-04-01/Accounts/${account}/Messages.json`)).status, 401)
})

test('a form that is not percent-encoded is read as UTF-8', async (t) => {
  const { server, key, tasks } = await openTwilioCompany(t)
  const authorization = `Basic ${Buffer.from(`AC:${key.key}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const body = `To=%2B34600111222&MessagingServiceSid=MG1&Body=Año 😀 %C3%B1`
  const url = new URL(`/2010-04-01/Accounts/AC/Messages.json`, server.url)
  const made = await ask(url, { method: 'POST', headers, body })
  assert.equal(made.status, 201, made.text)
  assert.equal((await tasks())[0]!.text, 'Año 😀 ñ')
})

test('a list is filtered by the sender that it shows, over all of its pages', async (t) => {
  const { client, join } = await openTwilioCompany(t)
  const drone = await join('drone-1', '+34611000001')
  for (let n = 0; n < 3; n++) {
    const asked = { to: TO, body: `out ${n}`, messagingServiceSid: 'MG1' }
    const { sid } = await client.messages.create(asked)
    await drone.until(n + 1)
    await drone.report({ guid: sid, state: 'sent' })
  }
  const inAnHour = new Date(Date.parse('2026-06-10T09:00:00Z'))
  await client.messages.create({
    to: TO,
    body: 'later',
    messagingServiceSid: 'MG1',
    sendAt: inAnHour,
    scheduleType: 'fixed',
  })
  await client.messages.create({ to: TO, body: 'named', from: '+34611000001' })
  const shown = (await client.messages.list()).map(({ from, body }) => `${from} ${body}`)
  const wanted = shown.filter((one) => one.startsWith('+34611000001 '))
  assert.equal(wanted.length, 4)
  const filtered = await client.messages.list({ from: '611 000 001', pageSize: 2 })
  assert.deepEqual(
    filtered.map(({ from, body }) => `${from} ${body}`),
    wanted,
  )
  assert.deepEqual(await client.messages.list({ from: '+34699999999' }), [])
})
