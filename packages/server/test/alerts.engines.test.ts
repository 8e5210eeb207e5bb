import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AlertRuleChange } from '@sdd/contract/outward/alerts.ts'
import { instant } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import { acknowledgeAlert } from '#server/outward/alerts/alerts.ts'
import { deleteAlertRule, listAlertRules, saveAlertRule } from '#server/outward/alerts/rules.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { SUPERADMIN } from './model/world.ts'
import { ADMIN, begin } from './alert-checks.ts'

test('a device that is away longer than its rule says opens one alert, which its return resolves after as long', async (t) => {
  const { rule, after, open, join, alerts, world } = await begin(t)
  const saved = await rule({ condition: 'device_away', value: 5 })
  const drone = await join('drone')
  const from = await drone.connect()
  await after(MINUTE)
  await world.cut(from)
  await after(4 * MINUTE)
  assert.deepEqual(await open(), [])
  await after(MINUTE)
  await after(10 * SECOND)
  const [alert, ...others] = await alerts()
  assert.deepEqual(others, [])
  assert.deepEqual(alert, {
    id: alert!.id,
    company_id: 1,
    rule: { id: saved.id, condition: 'device_away', value: 5 },
    subject: { kind: 'device', id: 'drone', name: null },
    since: '2026-06-10T08:03:00.000Z',
    opened_at: '2026-06-10T08:08:00.000Z',
    said_at: null,
    acknowledged_by: null,
    acknowledged_at: null,
    resolved_at: null,
    detail: 'It has been disconnected since 2026-06-10T08:03:00.000Z.',
    detail_params: { since: '2026-06-10T08:03:00.000Z' },
    told: [],
  })
  await drone.connect()
  await after(4 * MINUTE)
  assert.deepEqual(await open(), ['device_away drone'])
  await after(MINUTE)
  assert.deepEqual(await alerts('true'), [])
  assert.equal((await alerts('false'))[0]!.resolved_at, '2026-06-10T08:13:10.000Z')
})

test('a restart is no absence for 60 s, keeps open alerts, and does not begin their time again', async (t) => {
  const { rule, after, open, join, restart, world } = await begin(t)
  await rule({ condition: 'device_away', value: 0 })
  await rule({ condition: 'radio_not_ready', value: 10 })
  const [stays, back, never] = [await join('stays'), await join('back'), await join('never')]
  await never.connect().then((from) => world.cut(from))
  await after(SECOND)
  assert.deepEqual(await open(), ['device_away back', 'device_away never', 'device_away stays'])
  const radio = { wifi: null, mobile: null, radio: { ready: false, says: 'no SIM' } }
  await stays.connect().then((from) => world.networks(from, radio))
  await back.connect()
  await after(0)
  await after(5 * MINUTE)
  assert.deepEqual(await open(), ['device_away never'])
  await restart()
  await after(50 * SECOND)
  assert.deepEqual(await open(), ['device_away never'])
  await stays.connect().then((from) => world.networks(from, radio))
  await after(10 * SECOND)
  assert.deepEqual(await open(), ['device_away back', 'device_away never'])
  await back.connect()
  await after(4 * MINUTE)
  assert.deepEqual(await open(), ['device_away never', 'radio_not_ready stays'])
})

test('a device that came back after a restart, or was linked after it, is away once it leaves', async (t) => {
  const { rule, after, open, join, restart, world } = await begin(t)
  await rule({ condition: 'device_away', value: 0 })
  const [comes, late] = [await join('comes'), await join('late')]
  await comes.connect()
  await late.connect()
  await after(SECOND)
  await restart()
  await after(SECOND)
  const from = await comes.connect()
  await after(SECOND)
  await world.cut(from)
  await join('new')
  await after(SECOND)
  assert.deepEqual(await open(), ['device_away comes', 'device_away new'])
})

test('maintenance stops the time of an alert, and a device that is disabled or unlinked closes it', async (t) => {
  const { rule, after, open, join, set, clock, alerts } = await begin(t)
  await rule({ condition: 'device_away', value: 5 })
  await join('rests')
  await join('off')
  await set('rests', { maintenance_until: instant(clock.now() + HOUR) })
  await after(6 * MINUTE)
  assert.deepEqual(await open(), ['device_away off'])
  await set('off', { enabled: false })
  await after(10 * SECOND)
  assert.deepEqual(await open(), [])
  await set('rests', { maintenance_until: null })
  await after(SECOND)
  await after(4 * MINUTE)
  assert.deepEqual(await open(), [])
  await after(MINUTE)
  assert.deepEqual(await open(), ['device_away rests'])
  await set('rests', { maintenance_until: instant(clock.now() + HOUR) })
  await after(30 * MINUTE)
  assert.deepEqual(await open(), ['device_away rests'])
  assert.equal((await alerts('false')).length, 1)
})

test('a rule watches only devices with one of its tags, and closes its alerts when it is switched off or removed', async (t) => {
  const { rule, after, open, join, set, needs } = await begin(t)
  for (const uid of ['one', 'two', 'three']) await join(uid)
  await set('one', { tags: ['roof', 'spare'] })
  const saved = await rule({ condition: 'device_away', value: 0, tags: ['roof'] })
  await after(SECOND)
  assert.deepEqual(await open(), ['device_away one'])
  await rule({ id: saved.id, tags: ['spare', 'cellar'] })
  await set('two', { tags: ['cellar'] })
  await after(SECOND)
  assert.deepEqual(await open(), ['device_away one', 'device_away two'])
  await set('one', { tags: [] })
  await after(SECOND)
  assert.deepEqual(await open(), ['device_away two'])
  await rule({ id: saved.id, enabled: false })
  assert.deepEqual(await open(), [])
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await rule({ id: saved.id, enabled: true })
  await after(SECOND)
  assert.deepEqual(await open(), ['device_away two'])
  await deleteAlertRule(needs(), SUPERADMIN, saved.id)
  await after(SECOND)
  assert.deepEqual(await open(), [])
})

test('alerts about backups, the disk and the certificate are shown to superadmins only', async (t) => {
  const { rule, after, open, seen, backup_folder, alerts, clock, world, needs } = await begin(t)
  const backups = await rule({ condition: 'backup_age', value: 2 })
  await rule({ condition: 'disk_short', value: 100 })
  await rule({ condition: 'certificate_expires', value: 7 })
  await after(HOUR)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  seen.free = 99 * 1_048_576
  seen.expires_at = clock.now() + 6 * 24 * HOUR
  await after(HOUR)
  await after(SECOND)
  const all = ['backup_age installation', 'certificate_expires installation', 'disk_short installation']
  assert.deepEqual(await open(), all)
  assert.deepEqual((await alerts()).map(({ detail }) => detail).sort(), [
    'The certificate of TLS_CERT_FILE expires at 2026-06-16T09:02:01.000Z.',
    'The disk of DATA_DIR has 99 MiB left.',
    'There is no backup yet.',
  ])
  assert.deepEqual(await alerts(undefined, ADMIN as never), [])
  assert.deepEqual((await listAlertRules(world.needs, ADMIN)).alert_rules, [])
  const refused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code
  await assert.rejects(rule({ condition: 'disk_short', value: 1 }, ADMIN as never), refused('forbidden'))
  await assert.rejects(rule({ id: backups.id, value: 3 }, ADMIN as never), refused('forbidden'))
  await assert.rejects(deleteAlertRule(needs(), ADMIN, backups.id), refused('forbidden'))
  const [alert] = await alerts()
  await assert.rejects(acknowledgeAlert(world.needs, ADMIN, alert!.id), refused('forbidden'))
  const hour_ago = instant(clock.now() - HOUR)
    .replace(/\.\d+/, '')
    .replaceAll(/[-:]/g, '')
  writeFileSync(join(backup_folder, `${hour_ago}.db`), '')
  seen.free = 1e12
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), ['certificate_expires installation'])
})

test('an open alert is acknowledged once, and a resolved one is not', async (t) => {
  const { rule, after, join, alerts, world, clock } = await begin(t)
  const { id: rule_id } = await rule({ condition: 'device_away', value: 0 })
  await join('drone')
  await after(SECOND)
  const { id } = (await alerts('true'))[0]!
  const first = await acknowledgeAlert(world.needs, ADMIN, id)
  assert.deepEqual(first.acknowledged_by, { id: 1, name: 'superadmin' })
  clock.advance(SECOND)
  assert.deepEqual(await acknowledgeAlert(world.needs, { ...ADMIN, name: 'other' }, id), first)
  await rule({ id: rule_id, enabled: false })
  const refused = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code
  await assert.rejects(acknowledgeAlert(world.needs, ADMIN, id), refused('alert_resolved'))
  const stranger = { ...ADMIN, scope: { company_id: 2 } }
  await assert.rejects(acknowledgeAlert(world.needs, stranger, id), refused('unknown_alert'))
})

test('the parts of a rule must fit together', async (t) => {
  const { rule, needs } = await begin(t)
  const refusedOn = async (change: AlertRuleChange, onPostgres = false) => {
    const config = { DATABASE_URL: onPostgres ? 'postgres://' : undefined }
    const error = await saveAlertRule({ ...needs(), config }, SUPERADMIN, change).then(
      () => undefined,
      (error: Refusal) => error,
    )
    return Object.entries(error?.field_codes ?? {}).map(([field, { code }]) => `${field} ${code}`)
  }
  assert.deepEqual(await refusedOn({}), ['condition required'])
  assert.deepEqual(await refusedOn({ condition: 'device_away' }), ['value required'])
  assert.deepEqual(await refusedOn({ condition: 'device_away', value: 10_081 }), ['value out_of_range'])
  assert.deepEqual(await refusedOn({ condition: 'device_quarantined', value: 1 }), ['value unknown_field'])
  assert.deepEqual(await refusedOn({ condition: 'queue_age', value: 5, tags: ['roof'] }), [
    'tags unknown_field',
  ])
  assert.deepEqual(await refusedOn({ condition: 'plan_used', value: 5.5 }), ['value bad_format'])
  assert.deepEqual(await refusedOn({ condition: 'queue_age', value: 5, over: 5 }), ['over unknown_field'])
  assert.deepEqual(await refusedOn({ condition: 'disk_short', value: 5 }, true), ['condition not_one_of'])
  const byCompany = { condition: 'failure_rate', value: 5, by: 'company' } as const
  assert.deepEqual(await refusedOn({ ...byCompany, tags: ['roof'] }), ['tags unknown_field'])
  const made = await rule(byCompany)
  assert.deepEqual([made.over, made.by, made.enabled, made.tags], [20, 'company', true, []])
  assert.deepEqual(await refusedOn({ id: made.id, condition: 'queue_age' }), ['condition not_one_of'])
  assert.deepEqual(await rule({ id: made.id, value: 6 }), { ...made, value: 6 })
})
