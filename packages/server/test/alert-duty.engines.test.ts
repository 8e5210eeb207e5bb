import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acknowledgeAlert } from '#server/outward/alerts/alerts.ts'
import { readAlertSettings, saveAlertSettings } from '#server/outward/alerts/alert-settings.ts'
import { saveAlertRule } from '#server/outward/alerts/rules.ts'
import { createWebhook } from '#server/outward/callbacks/webhooks.ts'
import { OK, openAlertWorld, textOf, WEBHOOK, WRONG } from './alert-world.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { SUPERADMIN } from './model/world.ts'

/** The clock begins at 8 o'clock in UTC, on a Wednesday. */
const OFFICE = {
  windows: [{ days: ['wed' as const, 'thu' as const], from: '10:00', to: '18:00' }],
  zone: 'UTC',
  holidays: [],
}

test('outside the hours of its rule an alert opens and shows, and is told when they begin', async (t) => {
  const { channel, rule, after, away, posts, alerts } = await openAlertWorld(t)
  await rule([(await channel(WEBHOOK)).id], 1, { hours: OFFICE })
  await away('stays')
  const connect = await away('returns')
  await after(SECOND)
  await after(HOUR)
  assert.deepEqual(
    (await alerts()).map(({ resolved_at, said_at }) => [resolved_at, said_at]),
    [
      [null, null],
      [null, null],
    ],
  )
  await connect()
  await after(10 * MINUTE)
  await after(10 * MINUTE)
  await after(HOUR)
  assert.deepEqual(
    posts.map(textOf).map((text) => text.split('.')[0]),
    ['Alert: device disconnected: stays'],
  )
})

test('another try waits for the hours too, and changed hours hold for it', async (t) => {
  const { channel, rule, after, away, posts, receiver, needs } = await openAlertWorld(t)
  const { id } = await rule([(await channel(WEBHOOK)).id], 1, {
    hours: { ...OFFICE, windows: [{ days: ['wed'], from: '08:00', to: '08:03' }] },
  })
  await away('drone')
  receiver.answer = () => WRONG
  await after(SECOND)
  await after(10 * SECOND)
  assert.equal(posts.length, 1)
  receiver.answer = () => OK
  await after(MINUTE)
  await after(HOUR)
  assert.equal(posts.length, 1)
  await saveAlertRule(needs(), SUPERADMIN, { id, hours: null })
  await after(SECOND)
  await after(HOUR)
  assert.equal(posts.length, 2)
})

test('an open alert is told again until it is acknowledged', async (t) => {
  const { channel, rule, after, away, posts, world, alerts } = await openAlertWorld(t)
  const settings = { join_secs: 0, repeat_mins: 30 }
  assert.deepEqual(await readAlertSettings(world.needs, SUPERADMIN), {
    join_secs: 10,
    repeat_mins: 0,
    tell_resolved: true,
  })
  const saved = await saveAlertSettings(world.needs, SUPERADMIN, settings)
  assert.deepEqual(saved, { ...settings, tell_resolved: true })
  assert.deepEqual(await readAlertSettings(world.needs, SUPERADMIN), saved)
  await rule([(await channel(WEBHOOK)).id])
  await away('one')
  await away('two')
  await after(SECOND)
  await after(29 * MINUTE)
  assert.equal(posts.length, 1)
  await after(MINUTE)
  await after(SECOND)
  assert.equal(posts.length, 2)
  assert.equal(textOf(posts[1]!), 'Still open: device disconnected (2): one, two')
  assert.equal((JSON.parse(posts[1]!.body!) as { type: string }).type, 'alert.repeated')
  const [two, one] = await alerts()
  await acknowledgeAlert(world.needs, SUPERADMIN, two!.id)
  await after(30 * MINUTE)
  assert.match(textOf(posts[2]!), /^Still open: device disconnected: one\./)
  await acknowledgeAlert(world.needs, SUPERADMIN, one!.id)
  await after(HOUR)
  await after(HOUR)
  assert.equal(posts.length, 3)
  const { said_at, told } = (await alerts())[1]!
  assert.deepEqual(
    [said_at, told.map(({ event }) => event)],
    ['2026-06-10T08:02:01.000Z', ['opened', 'repeated', 'repeated']],
  )
})

test('an open alert is told again although the clock was set back since it was told', async (t) => {
  const { channel, rule, after, away, posts, world, clock } = await openAlertWorld(t)
  await saveAlertSettings(world.needs, SUPERADMIN, { join_secs: 0, repeat_mins: 30 })
  await rule([(await channel(WEBHOOK)).id])
  await away('drone')
  await after(SECOND)
  clock.advance(-24 * HOUR)
  await after(MINUTE)
  await after(SECOND)
  assert.equal(posts.length, 2)
  await after(29 * MINUTE)
  assert.equal(posts.length, 2)
  await after(MINUTE)
  await after(SECOND)
  assert.equal(posts.length, 3)
})

test('a repetition that failed is given up once its alerts are acknowledged', async (t) => {
  const { channel, rule, after, away, posts, receiver, world, alerts } = await openAlertWorld(t)
  await saveAlertSettings(world.needs, SUPERADMIN, { join_secs: 0, repeat_mins: 5 })
  await rule([(await channel(WEBHOOK)).id])
  await away('drone')
  await after(SECOND)
  receiver.answer = () => WRONG
  await after(5 * MINUTE)
  await acknowledgeAlert(world.needs, SUPERADMIN, (await alerts())[0]!.id)
  await after(HOUR)
  await after(HOUR)
  assert.equal(posts.length, 2)
  assert.deepEqual(
    (await alerts())[0]!.told.map(({ event, delivered }) => [event, delivered]),
    [
      ['opened', true],
      ['repeated', false],
    ],
  )
})

test('the end is told to no channel if the company does not want that', async (t) => {
  const { channel, rule, after, away, posts, world, alerts } = await openAlertWorld(t)
  await saveAlertSettings(world.needs, SUPERADMIN, { tell_resolved: false, join_secs: 0 })
  await rule([(await channel(WEBHOOK)).id])
  const connect = await away('drone')
  await after(SECOND)
  await connect()
  await after(SECOND)
  await after(HOUR)
  assert.equal(posts.length, 1)
  assert.notEqual((await alerts())[0]!.resolved_at, null)
})

test('the company’s webhooks that name the events get each alert, in order, and none about the installation', async (t) => {
  const { rule, after, away, world, admin, needs } = await openAlertWorld(t)
  const url = 'https://ops.example/hook'
  await createWebhook(needs(), admin(), { url, types: ['alert.opened', 'alert.resolved'] })
  await createWebhook(needs(), admin(), { url: 'https://tasks.example/', types: ['task.sent'] })
  await rule([])
  await rule([], 1, { condition: 'certificate_expires', value: 90 })
  const connect = await away('one')
  await away('two')
  await after(SECOND)
  await after(SECOND)
  await connect()
  await after(SECOND)
  const rows = await world.db.read.query<{ url: string; type: string; body: string; guid: string }>(
    'select url, type, body, guid from callbacks order by id',
  )
  const said = rows.map(({ body, ...row }) => {
    const { type, alert } = JSON.parse(body) as {
      type: string
      alert: { id: number; subject: { id: string }; resolved_at: string | null; told?: unknown }
    }
    assert.equal(type, row.type)
    assert.equal(row.guid, `alert-${alert.id}`)
    return [row.url, type, alert.subject.id, alert.resolved_at !== null, 'told' in alert]
  })
  assert.deepEqual(said, [
    [url, 'alert.opened', 'one', false, false],
    [url, 'alert.opened', 'two', false, false],
    [url, 'alert.resolved', 'one', true, false],
  ])
})
