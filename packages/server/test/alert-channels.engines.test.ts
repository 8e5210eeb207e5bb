import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import type { AlertChannelChange } from '@sdd/contract/outward/alert-channels.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Refusal } from '#server/core/refusal.ts'
import { removeRow } from '#server/insight/retention/store.ts'
import {
  deleteAlertChannel,
  listAlertChannels,
  saveAlertChannel,
  testAlertChannel,
} from '#server/outward/alerts/channels.ts'
import { openMailing } from '#server/outward/alerts/mailing.ts'
import { saveAlertRule } from '#server/outward/alerts/rules.ts'
import { startAlertTelling } from '#server/outward/alerts/telling.ts'
import { openAddresses } from '#server/outward/callbacks/addresses.ts'
import type { Outcome } from '#server/outward/callbacks/outcome.ts'
import { openPosting } from '#server/outward/callbacks/posting.ts'
import { signatureHeaders } from '#server/outward/callbacks/signature.ts'
import { OK, openAlertWorld, textOf, WEBHOOK, WRONG } from './alert-world.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { eventually } from './device.ts'
import { SUPERADMIN } from './model/world.ts'

test('a channel is told once of the opening and once of the end, and several alerts of a rule are one message', async (t) => {
  const { channel, rule, after, away, posts, alerts, restart } = await openAlertWorld(t)
  const made = await channel(WEBHOOK)
  const saved = await rule([made.id])
  const connects = [await away('d0'), await away('d1'), await away('d2'), await away('d3')]
  await after(SECOND)
  connects.push(await away('d4'), await away('d5'))
  await after(SECOND)
  assert.equal(posts.length, 0)
  await after(9 * SECOND)
  await after(MINUTE)
  await restart()
  await after(MINUTE)
  assert.equal(posts.length, 1)
  const [post] = posts
  const { 'webhook-id': id, 'webhook-timestamp': at } = post!.headers
  const signed = signatureHeaders([made.webhook_secret!], id!, Number(at) * SECOND, post!.body!)
  assert.deepEqual(post!.headers, signed)
  const { alerts: listed, ...body } = JSON.parse(post!.body!) as Record<string, unknown> & {
    alerts: unknown[]
  }
  assert.deepEqual(body, {
    type: 'alert.opened',
    at: '2026-06-10T08:02:11.000Z',
    text: 'Alert: device disconnected (6): d0, d1, d2, d3, d4 and 1 more',
    count: 6,
    rule: { id: saved.id, condition: 'device_away', value: 0 },
  })
  assert.equal(listed.length, 5)
  const told = (await alerts()).map(({ said_at, told }) => [said_at, told.map(({ event }) => event)])
  assert.deepEqual(
    told,
    Array.from({ length: 6 }, () => ['2026-06-10T08:02:11.000Z', ['opened']]),
  )
  await connects[0]!()
  await after(SECOND)
  await after(10 * SECOND)
  await after(MINUTE)
  assert.deepEqual(posts.slice(1).map(textOf), ['Resolved: device disconnected: d0'])
})

test('an alert that is over before it was told is told to no channel, and so is one whose rule is switched off', async (t) => {
  const { channel, rule, after, away, posts, alerts, needs } = await openAlertWorld(t)
  const { id } = await channel(WEBHOOK)
  const saved = await rule([id])
  const connect = await away('short')
  await after(SECOND)
  await connect()
  await after(SECOND)
  await away('closed')
  await after(SECOND)
  await saveAlertRule(needs(), SUPERADMIN, { id: saved.id, enabled: false })
  await after(HOUR)
  assert.deepEqual(posts, [])
  assert.deepEqual(
    (await alerts()).map(({ told }) => told),
    [[], []],
  )
})

test('a try that a crash interrupts is repeated with the same body and id, and nothing else is', async (t) => {
  const { channel, rule, after, away, posts, receiver, restart } = await openAlertWorld(t)
  const { id } = await channel(WEBHOOK)
  await rule([id])
  await away('drone')
  receiver.answer = () => undefined
  await after(SECOND)
  await after(10 * SECOND)
  await restart()
  receiver.answer = () => OK
  await after(SECOND)
  await restart()
  await after(HOUR)
  const [first, again, ...more] = posts
  assert.deepEqual([again!.body, again!.headers['webhook-id']], [first!.body, first!.headers['webhook-id']])
  assert.deepEqual(more, [])
})

test('a failed message is tried again and then given up, keeps the order of its alert, and holds up no other channel', async (t) => {
  const { channel, rule, after, away, posts, receiver, alerts } = await openAlertWorld(t)
  const telegram = await channel({
    kind: 'telegram',
    name: 'Night shift',
    settings: { chat_id: '-100', token: 'token-1' },
  })
  const ntfy = await channel({ kind: 'ntfy', name: 'Phone', settings: { topic: 'fleet' } })
  await rule([telegram.id, ntfy.id])
  const connect = await away('drone')
  receiver.answer = ({ url }) => (url.startsWith('https://api.telegram.org') ? WRONG : OK)
  await after(SECOND)
  await after(10 * SECOND)
  assert.deepEqual(
    posts.map(({ url, body, type, headers }) => [url, body!.slice(0, 40), type, headers]),
    [
      [
        'https://api.telegram.org/bottoken-1/sendMessage',
        '{"chat_id":"-100","text":"Alert: device ',
        'application/json',
        {},
      ],
      ['https://ntfy.sh/fleet', 'Alert: device disconnected: drone. It ha', 'text/plain; charset=utf-8', {}],
    ],
  )
  await connect()
  await after(SECOND)
  await after(10 * SECOND)
  assert.equal(posts.at(-1)!.body, 'Resolved: device disconnected: drone')
  const count = posts.length
  for (let n = 0; n < 20; n++) await after(24 * HOUR)
  const late = posts
    .slice(count)
    .map(({ body }) => (JSON.parse(body!) as { text: string }).text.split(':')[0])
  assert.equal(late.lastIndexOf('Alert') < late.indexOf('Resolved'), true, late.join())
  const { told } = (await alerts())[0]!
  assert.deepEqual(
    told.filter((one) => one.channel === telegram.id).map(({ delivered, detail }) => [delivered, detail]),
    [
      [false, '401 {"description":"bad [token]"}'],
      [false, '401 {"description":"bad [token]"}'],
    ],
  )
})

test('channels that never answer delay no other company, and their waiting messages no other channel', async (t) => {
  const { channel, rule, check, send, ended, away, posts, receiver } = await openAlertWorld(t)
  const silent = []
  for (let n = 0; n < 25; n++)
    silent.push((await channel({ ...WEBHOOK, settings: { url: `https://silent.example/${n}` } })).id)
  // Each alert is a message of its own, and the silent channels have more of them than are looked at in one round.
  for (let n = 0; n < 10; n++) await rule(silent)
  const slow = Promise.withResolvers<Outcome>()
  receiver.answer = ({ url }) => (url.startsWith('https://silent') ? slow.promise : OK)
  await away('drone')
  await check(SECOND)
  await check(10 * SECOND)
  await send()
  await eventually(() => posts.length === 20)
  for (let round = 0; round < 5; round++) await send()
  const asked = posts.map(({ url }) => url)
  assert.equal(new Set(asked).size, asked.length)
  assert.equal(asked.length, 20)
  await rule([(await channel(WEBHOOK, 2)).id], 2)
  await away('other', 2)
  await check(SECOND)
  await check(10 * SECOND)
  await send()
  await eventually(() => posts.length === 21)
  assert.deepEqual(
    posts.slice(20).map(({ url }) => url),
    ['https://desk.example/in'],
  )
  slow.resolve(WRONG)
  await ended()
  await send()
  await ended()
  assert.equal(new Set(posts.map(({ url }) => url)).size, 26)
})

test('the waiting messages of a rule follow its changed channels', async (t) => {
  const { channel, rule, after, away, posts, receiver, alerts, needs, clock } = await openAlertWorld(t)
  const first = await channel(WEBHOOK)
  const second = await channel({ ...WEBHOOK, settings: { url: 'https://second.example/' } })
  const saved = await rule([first.id])
  await away('one')
  await away('two')
  await after(SECOND)
  await saveAlertRule(needs(), SUPERADMIN, { id: saved.id, channels: [second.id] })
  receiver.answer = () => WRONG
  await after(10 * SECOND)
  assert.deepEqual(
    posts.map(({ url, body }) => [url, (JSON.parse(body!) as { count: number }).count]),
    [['https://second.example/', 2]],
  )
  await saveAlertRule(needs(), SUPERADMIN, { id: saved.id, channels: [first.id] })
  await after(HOUR)
  clock.advance(HOUR)
  assert.equal(posts.length, 1)
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ channel, delivered, tries }) => [channel, delivered, tries]),
    [[second.id, false, 1]],
  )
})

test('a message to a channel is removed with the last of its alerts', async (t) => {
  const { channel, rule, after, away, alerts, world } = await openAlertWorld(t)
  const { id } = await channel(WEBHOOK)
  await rule([id])
  await away('one')
  await away('two')
  await after(SECOND)
  await after(10 * SECOND)
  const left = async () => (await world.db.read.query('select id from alert_messages')).length
  const counts = [await left()]
  for (const alert of await alerts()) {
    await world.db.write((tx) => removeRow(tx, 'alerts', alert.id))
    counts.push(await left())
  }
  assert.deepEqual(counts, [1, 1, 0])
})

test('nothing is told of a device in maintenance until it is over', async (t) => {
  const { channel, rule, after, away, posts, edit, clock } = await openAlertWorld(t)
  const { id } = await channel(WEBHOOK)
  await rule([id])
  await away('rests')
  await away('works')
  await after(SECOND)
  await edit('rests', { maintenance_until: instant(clock.now() + HOUR) })
  await after(10 * SECOND)
  await after(30 * MINUTE)
  const [text, ...others] = posts.map(textOf)
  assert.match(text!, /^Alert: device disconnected: works\./)
  assert.deepEqual(others, [])
  await after(HOUR)
  await after(MINUTE)
  assert.match(posts.map(textOf)[1]!, /^Alert: device disconnected: rests\./)
  assert.equal(posts.length, 2)
})

test('a test is one try, says that it is one, and is limited at all servers together', async (t) => {
  const { channel, posts, receiver, needs, clock, world, admin } = await openAlertWorld(t)
  const { id } = await channel({
    kind: 'telegram',
    name: 'Night',
    settings: { chat_id: '@us', token: 'token-1' },
  })
  // Each call is like one at another server.
  const run = (...asked: [Caller, number]) => testAlertChannel(needs(), ...asked)
  receiver.answer = () => WRONG
  assert.deepEqual(await run(admin(), id), { delivered: false, detail: '401 {"description":"bad [token]"}' })
  receiver.answer = () => OK
  for (let n = 1; n < 10; n++) assert.deepEqual(await run(admin(), id), { delivered: true, detail: null })
  await assert.rejects(run(admin(), id), (error: Refusal) => error.code === 'too_many_attempts')
  assert.equal(posts.length, 10)
  assert.match(textOf(posts[0]!), /^Test /)
  clock.advance(MINUTE)
  assert.equal((await run(admin(), id)).delivered, true)
  const [read] = (await listAlertChannels(world.needs, SUPERADMIN)).alert_channels
  assert.deepEqual(
    [read!.last, read!.settings],
    [null, { url: 'https://api.telegram.org', chat_id: '@us', token_set: true }],
  )
})

test('a channel needs a proof for a new address, which drops its token, and stays while a rule names it', async (t) => {
  const { channel, rule, needs, world, admin } = await openAlertWorld(t)
  const refusal = async (work: Promise<unknown>) => {
    const error = (await work.then(
      () => undefined,
      (error: unknown) => error,
    )) as Refusal | undefined
    const fields = Object.entries(error?.field_codes ?? {}).map(([field, { code }]) => `${field} ${code}`)
    return fields.length > 0 ? fields.join() : error?.code
  }
  const save = (change: AlertChannelChange, as = admin()) => refusal(saveAlertChannel(needs(), as, change))
  assert.equal(await save(WEBHOOK, SUPERADMIN as never), 'proof_required')
  assert.equal(await save({ kind: 'webhook', name: 'x' }), 'settings.url required')
  assert.equal(
    await save({ kind: 'telegram', name: 'x', settings: { chat_id: '1' } }),
    'settings.token required',
  )
  assert.equal(await save({ kind: 'ntfy', name: 'x' }), 'settings.topic required')
  assert.equal(
    await save({ ...WEBHOOK, settings: { ...WEBHOOK.settings, topic: 'x' } }),
    'settings.topic unknown_field',
  )
  const made = await channel({ kind: 'ntfy', name: 'Phone', settings: { topic: 'fleet', token: 'token-1' } })
  const { id } = made
  assert.equal(await save({ id, settings: { url: 'https://ntfy.example' } }), 'settings.token required')
  assert.equal(
    await save({ id, settings: { url: 'https://ntfy.example', token: null } }, SUPERADMIN as never),
    'proof_required',
  )
  assert.equal(await save({ id, kind: 'webhook' }), 'kind not_one_of')
  const renamed = await saveAlertChannel(needs(), SUPERADMIN, { id, name: 'Phones' })
  assert.deepEqual(renamed, { channel: { ...made, name: 'Phones' }, made: false })
  const { id: rule_id } = await rule([id])
  assert.equal(await refusal(rule([id + 1])), 'channels not_one_of')
  assert.equal(await refusal(deleteAlertChannel(needs(), SUPERADMIN, id)), 'channel_in_use')
  await saveAlertRule(needs(), SUPERADMIN, { id: rule_id, channels: [] })
  await deleteAlertChannel(needs(), SUPERADMIN, id)
  assert.deepEqual((await listAlertChannels(world.needs, SUPERADMIN)).alert_channels, [])
  const stranger = { ...admin(), scope: { company_id: 2 } }
  assert.equal(await save({ id, name: 'x' }, stranger as never), 'unknown_alert_channel')
})

test('a change of an address is in the audit log, without the part that may be secret', async (t) => {
  const { channel, needs, world, admin } = await openAlertWorld(t)
  const { id } = await channel({
    kind: 'webhook',
    name: 'Desk',
    settings: { url: 'https://desk.example/?to=A' },
  })
  for (const url of ['https://desk.example/?to=B', 'https://desk.example/in?to=B'])
    await saveAlertChannel(needs(), admin(), { id, settings: { url } })
  const rows = await world.db.read.query<{ changes: string }>(
    `select changes from audit_log where action = 'alert_channel.saved' order by id`,
  )
  const urls = rows.map(({ changes }) => (JSON.parse(changes) as { url: unknown }).url)
  assert.deepEqual(urls, [
    { from: null, to: 'https://desk.example/' },
    { from: null, to: 'changed' },
    { from: 'https://desk.example/', to: 'https://desk.example/in' },
  ])
})

test('a stop does not wait for channels that say nothing, and their messages are tried again later', async (t) => {
  const { channel, rule, check, away, alerts, needs } = await openAlertWorld(t)
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})))
  t.after(() => {
    silent.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const url = `https://desk.example:${port}/in`
  const desk = await channel({ ...WEBHOOK, settings: { url } })
  const office = await channel({ kind: 'email', name: 'Office', settings: { to: ['ana@example.com'] } })
  await rule([desk.id, office.id])
  await away('drone')
  await check(SECOND)
  await check(10 * SECOND)
  const telling = startAlertTelling({
    ...needs(),
    log: pino({ level: 'silent' }),
    replica: { leads: () => true },
    posting: openPosting({
      addresses: openAddresses({ CALLBACK_ADDRESSES: 'any' }, async () => ['127.0.0.1']),
    }),
    mailing: openMailing({ SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FROM: 'alerts@fleet.example' }),
  })
  try {
    await eventually(() => sockets.length === 2)
  } finally {
    await telling.stop()
  }
  // A channel that was given up after 15 s would have been tried once.
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ delivered, tries }) => [delivered, tries]),
    [
      [null, 0],
      [null, 0],
    ],
  )
})
