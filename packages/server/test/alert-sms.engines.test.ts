import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimChange } from '@sdd/contract/fleet/sims.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { DEVICE_WINDOW } from '#server/fleet/devices/capacity.ts'
import { saveSim } from '#server/fleet/sims/saving.ts'
import { listAlertChannels, testAlertChannel } from '#server/outward/alerts/channels.ts'
import { openAlertWorld } from './alert-world.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { eventually } from './device.ts'
import { type Published, SUPERADMIN } from './model/world.ts'

const SMS = { kind: 'sms', name: 'Night shift', settings: { to: '600 111 222' } } as const

const sentBy = (commands: readonly Published[]) =>
  commands.flatMap(({ uid, command }) => (command.type === 'send' ? [uid] : []))

test('an SMS about a device goes through another one, before other messages, and once', async (t) => {
  const { channel, rule, after, away, world, alerts, restart, commands } = await openAlertWorld(t)
  const made = await channel(SMS)
  assert.deepEqual(made.settings, { to: '+34600111222' })
  await rule([made.id], 1, { condition: 'device_quarantined', value: null })
  const connects = [await away('bad'), await away('good')]
  const [, good] = [await connects[0]!(), await connects[1]!()]
  const until = { quarantined_until: instant(world.needs.clock.now() + HOUR) }
  await world.db.write((tx) => tx.update('devices', { uid: 'bad' }, until))
  await after(SECOND)
  await after(SECOND)
  await after(10 * SECOND)
  await restart()
  await connects[1]!()
  await after(SECOND)
  await world.settle()
  const sent = commands.flatMap(({ uid, command }) => (command.type === 'send' ? [{ uid, command }] : []))
  assert.deepEqual(
    sent.map(({ uid, command }) => [uid, command.to]),
    [['good', '+34600111222']],
  )
  const { guid, text } = sent[0]!.command
  assert.match(text, /^Alert: device in quarantine: bad\./)
  assert.deepEqual((await alerts())[0]!.said_at, null)
  await world.reports(good, [{ guid, attempt: 1, state: 'sent', at: '2026-06-10T08:05:00Z' }])
  await after(2 * SECOND)
  const [alert] = await alerts()
  assert.notEqual(alert!.said_at, null)
  assert.deepEqual(
    alert!.told.map(({ event, delivered, tries, detail }) => [event, delivered, tries, detail]),
    [['opened', true, 1, null]],
  )
  const [row] = await world.db.read.query<{ priority: number }>(
    'select priority from messages order by id desc limit 1',
  )
  assert.equal(row!.priority, -1)
})

test('an SMS waits while only the device that it is about could send it, and a failed one is tried again', async (t) => {
  const { channel, rule, after, away, world, alerts, commands, clock } = await openAlertWorld(t)
  await rule([(await channel(SMS)).id], 1, { condition: 'device_quarantined', value: null })
  const bad = await (await away('bad'))()
  await world.db.write((tx) =>
    tx.update('devices', { uid: 'bad' }, { quarantined_until: instant(clock.now() + 24 * HOUR) }),
  )
  await after(SECOND)
  await after(SECOND)
  await after(10 * SECOND)
  await after(MINUTE)
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ delivered, tries }) => [delivered, tries]),
    [[null, 0]],
  )
  const good = await (await away('good'))()
  await after(2 * SECOND)
  await world.settle()
  const fail = async () => {
    const last = commands.at(-1)!
    assert.ok(last.command.type === 'send' && last.uid === 'good')
    const { guid, attempt } = last.command
    await world.reports(good, [
      { guid, attempt, state: 'failed', at: instant(clock.now()), code: 'network', permanent: true },
    ])
    await after(2 * SECOND)
  }
  await fail()
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ delivered, tries }) => [delivered, tries]),
    [[null, 1]],
  )
  await after(5 * SECOND)
  await world.settle()
  const guids = new Set(commands.flatMap(({ command }) => (command.type === 'send' ? [command.guid] : [])))
  assert.equal(guids.size, 2)
  assert.equal(bad.uid, 'bad')
})

test('no SMS of an alert goes to a number that has opted out', async (t) => {
  const { channel, rule, after, away, world, alerts, commands, clock } = await openAlertWorld(t)
  await rule([(await channel(SMS)).id], 1, { condition: 'device_quarantined', value: null })
  await (
    await away('bad')
  )()
  await (
    await away('good')
  )()
  await world.db.write(async (tx) => {
    await tx.update('devices', { uid: 'bad' }, { quarantined_until: instant(clock.now() + HOUR) })
    const created_at = instant(clock.now())
    const number = '+34600111222'
    await tx.insert('opt_outs', [
      { company_id: 1, number, text: null, device_uid: null, created_by: null, created_at },
    ])
  })
  await after(SECOND)
  await after(SECOND)
  await after(10 * SECOND)
  await after(MINUTE)
  await world.settle()
  assert.deepEqual(sentBy(commands), [])
  const [told] = (await alerts())[0]!.told
  assert.deepEqual([told!.delivered, told!.tries], [false, 1])
  assert.match(told!.detail!, /was blocked by/)
})

test('an SMS passes over devices that can send nothing, and over the holder of the SIM that it is about', async (t) => {
  const { channel, rule, after, away, world, commands } = await openAlertWorld(t)
  await rule([(await channel(SMS)).id], 1, { condition: 'sim_expires', value: 7 })
  const join = async (uid: string) => (await away(uid))()
  const withSim = async (uid: string, iccid: string, valid_until: string) => {
    const from = await join(uid)
    await world.networks(from, { mobile: { sims: [{ slot: 1, iccid }] } })
    const plan = { parts_per_month: 1, recipients_per_month: null, renews_on_day: 1, valid_until }
    await saveSim(world.needs, { ...SUPERADMIN, company_id: 1 }, iccid, SimChange.parse({ plan }))
  }
  const [expires, used] = ['8934561100000000011', '8934561100000000022']
  const full = await join('full')
  await withSim('spent', used, '2026-12-31')
  await withSim('holder', expires, '2026-06-12')
  await world.db.write(async (tx) => {
    await tx.update('capacity', { device_id: full.device_id }, { unfinished: DEVICE_WINDOW })
    await tx.update('sims', { iccid: used }, { used_parts: 1 })
    await tx.update('sims', { iccid: expires }, { parts_per_month: null })
  })
  await after(SECOND)
  await after(SECOND)
  await after(10 * SECOND)
  await after(2 * SECOND)
  await world.settle()
  assert.deepEqual(sentBy(commands), [])
  const { device_id } = await join('good')
  const at = instant(world.needs.clock.now())
  await world.db.write((tx) => tx.update('capacity', { device_id }, { last_given_at: at }))
  await after(2 * SECOND)
  await world.settle()
  assert.deepEqual(sentBy(commands), ['good'])
})

test('after a failed SMS another device is tried, even one that has sent more lately', async (t) => {
  const { channel, rule, after, away, world, commands, clock } = await openAlertWorld(t)
  await rule([(await channel(SMS)).id])
  await away('bad')
  const first = await (await away('first'))()
  const second = await (await away('second'))()
  await after(SECOND)
  await after(10 * SECOND)
  await world.settle()
  const { command, uid } = commands.findLast(({ command }) => command.type === 'send')!
  assert.ok(command.type === 'send' && uid === 'first')
  const { guid, attempt } = command
  const at = instant(clock.now())
  await world.reports(first, [{ guid, attempt, state: 'failed', at, code: 'network', permanent: true }])
  await world.db.write((tx) =>
    tx.update('capacity', { device_id: second.device_id }, { last_given_at: instant(clock.now() + HOUR) }),
  )
  await after(2 * SECOND)
  await after(5 * SECOND)
  await world.settle()
  assert.deepEqual(sentBy(commands), ['first', 'second'])
})

test('a device whose quarantine has ended sends one SMS, and is passed over until that has ended', async (t) => {
  const { channel, rule, after, away, world, commands, clock } = await openAlertWorld(t)
  await rule([(await channel(SMS)).id])
  const { device_id } = await (await away('ended'))()
  const quarantined_until = instant(clock.now() - HOUR)
  await world.db.write((tx) => tx.update('devices', { id: device_id }, { quarantined_until }))
  await away('first')
  await after(SECOND)
  await after(10 * SECOND)
  await world.settle()
  assert.deepEqual(sentBy(commands), ['ended'])
  await away('second')
  await after(SECOND)
  await after(10 * SECOND)
  await world.settle()
  assert.deepEqual(sentBy(commands), ['ended'])
})

test('a test by SMS answers when the device has sent it', async (t) => {
  const { channel, away, world, commands, needs, admin } = await openAlertWorld(t)
  const { id } = await channel(SMS)
  const run = (...asked: [Caller, number]) => testAlertChannel(needs(), ...asked)
  assert.deepEqual(await run(admin(), id), {
    delivered: false,
    detail: 'No device can send an SMS now.',
    detail_code: 'no_device',
    detail_params: {},
  })
  const from = await (await away('good'))()
  const answer = run(admin(), id)
  const command = await eventually(async () => {
    await world.settle()
    const { command } = commands.at(-1) ?? {}
    return command?.type === 'send' && command
  })
  assert.match(command.text, /^Test /)
  await world.reports(from, [{ guid: command.guid, attempt: 1, state: 'sent', at: '2026-06-10T08:05:00Z' }])
  assert.deepEqual(await answer, { delivered: true, detail: null })
})

test('e-mail goes to all addresses, a refusal is shown and tried again, and that of some addresses only shown', async (t) => {
  const { channel, rule, after, away, mails, mailServer, alerts, world } = await openAlertWorld(t)
  const to = ['ana@example.com', 'luis@example.com']
  const made = await channel({ kind: 'email', name: 'Office', settings: { to } })
  assert.deepEqual(made.settings, { to })
  await rule([made.id])
  await away('drone')
  mailServer.answer = { delivered: false, detail: '552 the mailbox is full' }
  await after(SECOND)
  await after(10 * SECOND)
  const { last } = (await listAlertChannels(world.needs, SUPERADMIN)).alert_channels[0]!
  assert.deepEqual([last!.delivered, last!.detail], [false, '552 the mailbox is full'])
  const detail = 'Refused for luis@example.com. 550 no such user'
  mailServer.answer = { delivered: true, detail }
  await after(5 * SECOND)
  await after(HOUR)
  const [first, second, ...more] = mails
  assert.deepEqual(first, second)
  assert.deepEqual([first!.to, first!.subject, more], [to, 'Alert: device disconnected: drone', []])
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ delivered, tries, detail }) => [delivered, tries, detail]),
    [[true, 2, detail]],
  )
})

test('the subject of an e-mail has the whole name of the device', async (t) => {
  const { channel, rule, after, away, mails, edit } = await openAlertWorld(t)
  await rule([(await channel({ kind: 'email', name: 'Office', settings: { to: ['ana@example.com'] } })).id])
  const connect = await away('drone')
  await edit('drone', { name: 'Sta. Ana' })
  await after(SECOND)
  await after(10 * SECOND)
  await connect()
  await after(SECOND)
  await after(10 * SECOND)
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['Alert: device disconnected: Sta. Ana (drone)', 'Resolved: device disconnected: Sta. Ana (drone)'],
  )
})
