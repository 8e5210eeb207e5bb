import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import * as contract from '@sdd/contract/people/conversations.ts'
import { createWebhook } from '@sdd/contract/outward/callbacks.ts'
import { readMessage } from '@sdd/contract/insight/log.ts'
import { eventually } from './device.ts'
import { withTables } from './engine.ts'
import { startReceiver } from './receiver.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'
import { startConversations } from './conversation-calls.ts'

const { server, token, newDevice, send, setGlobal, fresh, list, read, change, answer, inbox, receive } =
  await startConversations()
after(() => server.stop())

test('a conversation has all traffic with a number, however it is written, the last stored first', async () => {
  const device = await newDevice()
  const number = fresh()
  const { guid } = (await send(device, { telefono_to: number.replace('+34', '0034'), mensaje_sms: 'one' }))
    .body
  await device.until(1)
  await device.report({ guid, state: 'sent', sim: 'sim-1' })
  await receive(device, number.replace('+34', ''), 'two', { sim: 'sim-1' })
  const task = { to_number: number, text: 'three' }
  await call(server, createTasks, { token, body: task })
  await device.until(2)
  const { conversation, messages } = await read(number.replace('+34', ''))
  assert.deepEqual(
    messages.map(({ direction, text }) => [direction, text]),
    [
      ['out', 'three'],
      ['in', 'two'],
      ['out', 'one'],
    ],
  )
  const [, two, one] = messages
  assert.deepEqual(
    [two!.guid, two!.state, two!.by, two!.device_uid, two!.sim, two!.parts],
    [null, null, null, device.uid, 'sim-1', 1],
  )
  assert.deepEqual([one!.guid, one!.state, one!.by, one!.sim], [guid, 'replied', 'superadmin', 'sim-1'])
  assert.equal(new Set(messages.map(({ id }) => id)).size, 3)
  const { last_at, ...rest } = conversation
  assert.match(last_at, /Z$/)
  assert.deepEqual(rest, {
    company_id: 1,
    number,
    answerable: true,
    name: null,
    last_text: 'three',
    last_direction: 'out',
    last_state: messages[0]!.state,
    last_error_msg: null,
    last_error_msg_code: null,
    last_error_msg_params: null,
    unread: 1,
    status: 'open',
    assigned_to: null,
    opted_out: false,
    device_uid: messages[0]!.device_uid,
    sim: messages[0]!.sim,
  })
  assert.deepEqual((await list())[0], conversation)
  assert.deepEqual(
    (await call(server, contract.readConversation, { token, params: { number: fresh() } })).body.code,
    'unknown_conversation',
  )
})

test('pages of a conversation and of the list neither skip nor repeat while more come in', async () => {
  const device = await newDevice()
  const number = fresh()
  for (const text of ['1', '2', '3', '4', '5']) await receive(device, number, text)
  const first = await read(number, { limit: '2' })
  await receive(device, number, '6')
  await answer(number, { text: '7' })
  const second = await read(number, { limit: '2', cursor: first.next_cursor! })
  const third = await read(number, { limit: '2', cursor: second.next_cursor! })
  assert.deepEqual(
    [first, second, third].map(({ messages }) => messages.map(({ text }) => text)),
    [['5', '4'], ['3', '2'], ['1']],
  )
  assert.equal(third.next_cursor, null)
  const all = await inbox({ search: number.slice(-8), limit: '1000' })
  assert.deepEqual(
    all.inbox.map(({ text }) => text),
    ['6', '5', '4', '3', '2', '1'],
  )
  const since = all.inbox[2]!.id
  assert.deepEqual(
    (await inbox({ since })).inbox.map(({ text }) => text),
    ['6', '5'],
  )
  const page = await inbox({ search: number, limit: '4' })
  const next = await inbox({ search: number, limit: '4', cursor: page.next_cursor! })
  assert.deepEqual(
    next.inbox.map(({ text, id }) => [text, id]),
    all.inbox.slice(4).map(({ text, id }) => [text, id]),
  )
  const ids = (await read(number, { limit: '100' })).messages.flatMap(({ direction, id }) =>
    direction === 'in' ? id : [],
  )
  assert.deepEqual(
    ids,
    all.inbox.map(({ id }) => id),
    'the same ids as in the inbox',
  )
  for (const bad of [{ since: 'yesterday' }, { cursor: 'x' }] as Record<string, string>[])
    assert.equal((await call(server, contract.listInbox, { token, query: bad })).status, 422)
})

test('what a system begins is done, what a person begins is open, and a received SMS opens it', async () => {
  const device = await newDevice()
  const [task, person, both] = [fresh(), fresh(), fresh()]
  for (const to_number of [task, both])
    await call(server, createTasks, { token, body: { to_number, text: 'reminder' } })
  await send(device, { telefono_to: person })
  const statusOf = async (number: string) => (await read(number)).conversation.status
  assert.deepEqual(
    [await statusOf(task), await statusOf(person), await statusOf(both)],
    ['done', 'open', 'done'],
  )
  await answer(both, { text: 'and more' })
  assert.equal(await statusOf(both), 'done', 'what is sent changes no status')
  await receive(device, both, '')
  assert.equal(await statusOf(both), 'open')
  assert.equal((await change(both, { status: 'done' })).body.status, 'done')
  const numbers = async (status: string) =>
    (await list({ status, limit: '1000' })).map(({ number }) => number)
  assert.equal((await numbers('open')).includes(both), false)
  assert.equal((await numbers('done')).includes(both), true)
  assert.equal((await numbers('all')).indexOf(both), 0)
})

test('unread SMS are counted after the mark, which only null moves back', async () => {
  const device = await newDevice()
  const number = fresh()
  for (const text of ['a', 'b', 'c']) await receive(device, number, text)
  const [c, b] = (await read(number)).messages
  assert.equal((await change(number, { read_to: b!.id })).body.unread, 1)
  const { guid } = (await answer(number, { text: 'sending reads nothing' })).body
  assert.equal((await read(number)).conversation.unread, 1)
  const out = (await read(number)).messages.find((message) => message.guid === guid)!
  assert.equal((await change(number, { read_to: out.id })).body.unread, 0)
  assert.equal((await change(number, { read_to: b!.id })).body.unread, 0, 'never back')
  const unread = async () =>
    (await list({ unread: 'true', limit: '1000' })).some((each) => each.number === number)
  assert.equal(await unread(), false)
  assert.equal((await change(number, { read_to: null })).body.unread, 1)
  assert.equal((await change(number, { read_to: null })).body.unread, 1)
  assert.equal(await unread(), true)
  assert.equal((await change(number, { read_to: c!.id })).body.unread, 0)
  for (const read_to of ['r999999999', 'nothing', ''])
    assert.deepEqual(Object.keys((await change(number, { read_to })).body.fields!), ['read_to'])
})

test('a conversation whose last received SMS is removed cannot be marked as unread', async () => {
  const device = await newDevice()
  const number = fresh()
  await receive(device, number, 'a')
  await answer(number, { text: 'b' })
  await change(number, { read_to: (await read(number)).messages[1]!.id })
  await withTables(server, ({ all }) => all('delete from inbox where sms_from = ? returning id', number))
  assert.equal((await change(number, { read_to: null })).body.unread, 0)
  const unread = await list({ unread: 'true', limit: '1000' })
  assert.deepEqual(
    unread.filter((each) => each.number === number),
    [],
  )
})

test('a conversation is assigned to an enabled user of the company, until that user is disabled', async () => {
  const device = await newDevice()
  const number = fresh()
  await receive(device, number, 'who takes it?')
  const user = await newUser(server, token, { role: 'user', companyId: 1 })
  const other = await newUser(server, token, { role: 'user', companyId: 2 })
  const assigned = await change(number, { assigned_to: user.id })
  assert.deepEqual(assigned.body.assigned_to, { id: user.id, name: user.name })
  const numbers = async (as: string, whose: string) =>
    (await list({ assigned: whose, limit: '1000' }, as)).map((each) => each.number)
  assert.deepEqual(await numbers(user.token, 'me'), [number])
  assert.deepEqual(await numbers(token, String(user.id)), [number])
  assert.equal((await numbers(token, 'none')).includes(number), false)
  for (const id of [other.id, 999_999])
    assert.deepEqual(Object.keys((await change(number, { assigned_to: id })).body.fields!), ['assigned_to'])
  const { id, name, email } = user
  await call(server, saveUser, { token, body: { id, name, email, role: 'user', enabled: false } })
  assert.equal((await read(number)).conversation.assigned_to, null)
})

test('a raised inbox_role ends the assignments to users of the role below', async (t) => {
  const device = await newDevice()
  t.after(() => setGlobal({ inbox_role: 'user' }))
  const assigned: Record<string, string> = {}
  for (const role of ['user', 'admin']) {
    const { id } = await newUser(server, token, { role, companyId: 1 })
    const number = (assigned[role] = fresh())
    await receive(device, number, 'who takes it?')
    await change(number, { assigned_to: id })
  }
  await setGlobal({ inbox_role: 'admin' })
  assert.equal((await read(assigned['user']!)).conversation.assigned_to, null)
  assert.notEqual((await read(assigned['admin']!)).conversation.assigned_to, null)
})

test('a conversation keeps the number under which it was stored when the country of the company changes', async (t) => {
  const device = await newDevice()
  t.after(() => setGlobal({ default_country: 'ES' }))
  // No Spanish number, so it is stored as written. In Germany it is one.
  const sender = '1234567'
  await receive(device, sender, 'hello')
  await setGlobal({ default_country: 'DE' })
  const { conversation, messages } = await read(sender)
  assert.deepEqual([conversation.number, messages.map(({ text }) => text)], [sender, ['hello']])
  assert.equal((await change(sender, { status: 'done' })).body.status, 'done')
})

test('a conversation says why its last message failed', async () => {
  const device = await newDevice()
  const number = fresh()
  const { guid } = (await send(device, { telefono_to: number })).body
  await device.until(1)
  await device.report({ guid, state: 'failed', code: 'no_network' })
  const { last_state, last_error_msg, last_error_msg_code, last_error_msg_params } = (await read(number))
    .conversation
  const [message] = (await read(number)).messages
  assert.deepEqual([last_state, last_error_msg_code], ['failed', 'no_network'])
  assert.deepEqual([last_error_msg, last_error_msg_params], [message!.error_msg, message!.error_msg_params])
  await receive(device, number, 'Are you there?')
  assert.equal((await read(number)).conversation.last_error_msg, null, 'it is the last one no more')
})

test('the list counts the open conversations, those of the caller, and those of no user', async () => {
  const device = await newDevice()
  const user = await newUser(server, token, { role: 'user', companyId: 1 })
  const countsOf = async (query: Record<string, string>) =>
    (await call(server, contract.listConversations, { token: user.token, query })).body.counts
  const before = await countsOf({ counts: 'true' })
  const numbers = [fresh(), fresh(), fresh(), fresh()]
  for (const number of numbers) await receive(device, number, 'hello')
  await change(numbers[0]!, { assigned_to: user.id })
  await change(numbers[1]!, { assigned_to: 1 })
  await change(numbers[2]!, { status: 'done' })
  assert.deepEqual(await countsOf({ counts: 'true', status: 'done', search: 'nothing' }), {
    open: before!.open + 3,
    mine: 1,
    unassigned: before!.unassigned + 1,
  })
  assert.equal(await countsOf({}), undefined)
})

test('the search finds the name of a contact in any script', async () => {
  const device = await newDevice()
  for (const [name, search] of [
    ['Андрей', 'андрей'],
    ['Νίκος', 'Νίκος'],
    ['한국', '한국'],
  ] as const) {
    const number = fresh()
    await receive(device, number, 'x')
    await call(server, saveContact, { token, params: { number }, body: { name } })
    const found = (await list({ search, limit: '1000' })).map((each) => each.number)
    assert.deepEqual(found, [number], name)
  }
})

test('the search finds a sender that is no number as it is written, blanks and dots included', async () => {
  const device = await newDevice()
  await receive(device, 'MI BANCO S.A.', 'x')
  for (const search of ['mi banco', 'co s.a', 'S.A.'])
    assert.deepEqual(
      (await list({ search, limit: '1000' })).map(({ number }) => number),
      ['MI BANCO S.A.'],
      search,
    )
})

test('the search finds parts of numbers and of texts', async () => {
  const device = await newDevice()
  const number = fresh()
  await receive(device, number, 'Estoy fuera, dejadlo en el 3')
  await answer(number, { text: 'Muy bien' })
  const found = async (search: string) => (await list({ search, limit: '1000' })).map((each) => each.number)
  const spaced = `${number.slice(0, 3)} ${number.slice(3, 6)}-${number.slice(6)}`
  for (const search of ['dejadlo', 'ESTÓY', 'muy B', number.slice(4), number.replace('+', '00'), spaced])
    assert.deepEqual(await found(search), [number])
  assert.deepEqual(await found('no such text'), [])
})

test('a text of an older conversation is found behind many newer ones, page by page, as the filters ask', async () => {
  const device = await newDevice()
  const [open, other] = [fresh(), fresh()]
  for (const number of [open, other]) await receive(device, number, 'Una aguja en el pajar')
  await change(other, { status: 'done' })
  // They wait, so that no other test does.
  const not_before = new Date(Date.now() + 3_600_000).toISOString()
  const tasks = Array.from({ length: 230 }, (_, n) => ({
    to_number: `+3460056${1000 + n}`,
    text: 'paja',
    not_before,
  }))
  assert.equal((await call(server, createTasks, { token, body: { tasks } })).status, 202)
  const { token: admin } = await newUser(server, token, { role: 'admin' })
  for (const as of [token, admin]) {
    const found = async (query: Record<string, string>) => {
      const page = await call(server, contract.listConversations, {
        token: as,
        query: { search: 'AGUJÁ', ...query },
      })
      return { numbers: page.body.conversations.map(({ number }) => number), next: page.body.next_cursor }
    }
    assert.deepEqual((await found({})).numbers, [open])
    assert.deepEqual((await found({ status: 'done' })).numbers, [other])
    const first = await found({ status: 'all', limit: '1' })
    const second = await found({ status: 'all', limit: '1', cursor: first.next! })
    assert.deepEqual([first.numbers, second.numbers, second.next], [[other], [open], null])
  }
})

test('each received SMS is told once to webhooks that want it, those of one number in order', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const device = await newDevice()
  const number = fresh()
  const url = `${receiver.url}/sms`
  const made = await call(server, createWebhook, { token, body: { url, types: ['sms.received'] } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { guid } = (await send(device, { telefono_to: number })).body
  await device.until(1)
  await device.report({ guid, state: 'sent' })
  for (const text of ['1', '2', '1']) await receive(device, number, text, { id: `told-${text}` })
  await eventually(() => receiver.received.length === 2)
  const bodies = receiver.received.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
  const rows = (await inbox({ search: number })).inbox.map(({ company_id: _, ...sms }) => sms)
  assert.deepEqual(
    bodies.map(({ type, sms }) => [type, sms]),
    rows.reverse().map((sms) => ['sms.received', sms]),
  )
  assert.deepEqual(
    rows.map(({ reply_to, text }) => [reply_to, text]),
    [
      [guid, '1'],
      [guid, '2'],
    ],
  )
})

test('a user below inbox_role reads neither conversations nor replies, and keys go by their scopes', async () => {
  const device = await newDevice()
  const number = fresh()
  const { guid } = (await send(device, { telefono_to: number })).body
  await device.until(1)
  await device.report({ guid, state: 'sent' })
  await receive(device, number, 'secret')
  const user = await newUser(server, token, { role: 'user', companyId: 1 })
  const keyOf = async (may: string[]) =>
    (await call(server, createApiKey, { token, body: { name: may.join(), may } })).body.key
  assert.equal((await inbox({ search: number }, await keyOf(['inbox:read']))).inbox.length, 1)
  const without = await call(server, contract.listInbox, { token: await keyOf(['tasks:read']), query: {} })
  assert.deepEqual([without.status, without.body.code], [403, 'forbidden'])
  const record = async () =>
    (await call(server, readMessage, { token: user.token, params: { guid } })).body.answer_3
  assert.equal(await record(), 'secret')
  await setGlobal({ inbox_role: 'admin' })
  for (const [route, params, body] of [
    [contract.listConversations, {}, undefined],
    [contract.listInbox, {}, undefined],
    [contract.readConversation, { number }, undefined],
    [contract.changeConversation, { number }, { status: 'done' }],
    [contract.answerConversation, { number }, { text: 'x' }],
    [contract.discardAnswer, { number, guid }, undefined],
  ] as const) {
    const refused = await call(server, route as never, { token: user.token, params, body } as never)
    assert.equal((refused as { status: number }).status, 403, route.path)
  }
  assert.equal(await record(), null)
  await setGlobal({ inbox_role: 'user' })
  assert.equal(await record(), 'secret')
})
