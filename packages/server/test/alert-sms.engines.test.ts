import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '#server/core/clock.ts'
import { listAlertChannels, openChannelTests } from '#server/outward/alerts/channels.ts'
import { openAlertWorld } from './alert-world.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { eventually } from './device.ts'
import { SUPERADMIN } from './model/world.ts'

const SMS = { kind: 'sms', name: 'Night shift', settings: { to: '600 111 222' } } as const

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

test('a test by SMS answers when the device has sent it', async (t) => {
  const { channel, away, world, commands, needs, admin } = await openAlertWorld(t)
  const { id } = await channel(SMS)
  const run = openChannelTests(needs())
  assert.deepEqual(await run(admin(), id), { delivered: false, detail: 'No device can send an SMS now.' })
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

test('e-mail goes to all addresses, and a refusal is shown and tried again', async (t) => {
  const { channel, rule, after, away, mails, mailServer, alerts, world } = await openAlertWorld(t)
  const to = ['ana@example.com', 'luis@example.com']
  const made = await channel({ kind: 'email', name: 'Office', settings: { to } })
  assert.deepEqual(made.settings, { to })
  await rule([made.id])
  await away('drone')
  mailServer.answer = '552 the mailbox is full'
  await after(SECOND)
  await after(10 * SECOND)
  const { last } = (await listAlertChannels(world.needs, SUPERADMIN)).alert_channels[0]!
  assert.deepEqual([last!.delivered, last!.detail], [false, '552 the mailbox is full'])
  mailServer.answer = undefined
  await after(5 * SECOND)
  await after(HOUR)
  const [first, second, ...more] = mails
  assert.deepEqual(first, second)
  assert.deepEqual([first!.to, first!.subject, more], [to, 'Alert: device disconnected: drone', []])
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ delivered, tries }) => [delivered, tries]),
    [[true, 2]],
  )
})
