import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ReportState } from '@sdd/contract/fleet/device-protocol.ts'
import type { AlertRuleChange } from '@sdd/contract/outward/alerts.ts'
import { instant } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import { editDevice } from '#server/fleet/devices/changing.ts'
import { acknowledgeAlert, listAlerts } from '#server/outward/alerts/alerts.ts'
import { openAlertChecks } from '#server/outward/alerts/checking.ts'
import { deleteAlertRule, listAlertRules, saveAlertRule } from '#server/outward/alerts/rules.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { countFailuresInRow } from '#server/outward/callbacks/result.ts'
import { HOUR, MINUTE, SECOND, testClock } from './clock.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'
import { ICCIDS } from './sim-cards.ts'

const ADMIN = { ...SUPERADMIN, role: 'admin', scope: { company_id: 1 } } as const

async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  const backup_folder = mkdtempSync(join(tmpdir(), 'sdd-alerts-'))
  t.after(async () => {
    await world.close()
    rmSync(backup_folder, { recursive: true })
  })
  const seen = { free: 1e12, expires_at: Infinity }
  const installation = {
    backup_folder,
    freeBytes: () => seen.free,
    certificateExpires: () => seen.expires_at,
  }
  const open = () => openAlertChecks({ ...world.needs, rules: world.needs.numbers.rules, installation })
  let check = open()
  // Devices have had the time to come back after the start.
  clock.advance(2 * MINUTE)
  let connections = 0
  const needs = () => ({ ...world.needs, config: {} })
  const alerts = async (query?: 'true' | 'false', as: typeof SUPERADMIN = SUPERADMIN) =>
    (await listAlerts(world.needs, as, { open: query, limit: 100 })).alerts
  return {
    clock,
    world,
    seen,
    backup_folder,
    needs,
    alerts,
    rule: async (change: AlertRuleChange, as: typeof SUPERADMIN = SUPERADMIN) =>
      (await saveAlertRule(needs(), as, change)).rule,
    /** Lets this time pass, and checks. */
    async after(ms: number) {
      clock.advance(ms)
      await check()
    },
    async restart() {
      await world.restart()
      check = open()
    },
    /** The open alerts, as `condition subject`. */
    open: async () =>
      (await alerts('true')).map(({ rule, subject }) => `${rule.condition} ${subject.id}`).sort(),
    async join(uid: string) {
      const device_id = await world.link(1, uid)
      return {
        device_id,
        async connect() {
          const connection = ++connections
          const from = { connection_id: `c${connection}`, connection, uid, device_id, company_id: 1 }
          await world.status(from, { status: 'connected', session: `s${connection}`, agent: 'test/1' })
          return from
        },
      }
    },
    set: (uid: string, change: Parameters<typeof editDevice>[3]) =>
      editDevice(world.needs, SUPERADMIN, uid, change),
    /** Messages that ended on the device, oldest first. The first to end was the last to be accepted. */
    async end(device_id: number, ...states: string[]) {
      const [last] = await world.db.read.query<{ id: number | null }>('select max(id) as id from outcomes')
      const rows = states.map((state, n) => ({
        id: (last!.id ?? 0) + states.length - n,
        company_id: 1,
        device_id,
        attempt: 1,
        state: state as 'sent',
        completed_at: instant(clock.now() - states.length + n),
      }))
      await world.db.write((tx) => tx.insert('outcomes', rows))
    },
  }
}

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

test('two checks in a row find a radio, a quarantine, a used limit, failed messages and failing webhooks', async (t) => {
  const { rule, after, open, join, world, clock, end } = await begin(t)
  const drone = await join('drone')
  const from = await drone.connect()
  await rule({ condition: 'radio_not_ready', value: 0 })
  await rule({ condition: 'device_quarantined' })
  await rule({ condition: 'daily_limit_used', value: 80 })
  await rule({ condition: 'failure_rate', value: 40, over: 5 })
  await rule({ condition: 'failure_rate', value: 60, over: 5, by: 'company' })
  await rule({ condition: 'webhook_failing', value: 3 })
  const webhook = await world.db.write((tx) =>
    tx.insertRow('webhooks', {
      company_id: 1,
      url: 'https://shop.example/hook?key=1',
      types: '[]',
      secret: 'x',
      created_at: instant(clock.now()),
    }),
  )
  const tried = (...outcomes: ('failed' | 'delivered')[]) =>
    world.db.write((tx) =>
      countFailuresInRow(
        tx,
        outcomes.map((outcome) => ({ webhook, outcome })),
      ),
    )
  await tried('failed', 'failed')
  await end(drone.device_id, 'failed', 'failed', 'expired', 'sent', 'delivered')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await world.networks(from, { wifi: null, mobile: null, radio: { ready: false, says: 'no SIM' } })
  await tried('failed')
  await end(drone.device_id, 'sent')
  const quarantined_until = instant(clock.now() + HOUR)
  await world.db.write(async (tx) => {
    await tx.update('devices', { id: drone.device_id }, { quarantined_until, max_sms_dayly: 10 })
    const sent_day = clock.day(clock.now())
    await tx.put('capacity', { device_id: drone.device_id }, { sent_day, sent_parts: 8 })
  })
  await after(SECOND)
  assert.deepEqual(await open(), ['radio_not_ready drone'])
  await after(SECOND)
  const all = [
    'daily_limit_used drone',
    'device_quarantined drone',
    'failure_rate drone',
    'radio_not_ready drone',
    `webhook_failing ${webhook}`,
  ]
  assert.deepEqual(await open(), all)
  await end(drone.device_id, 'uncertain', 'failed', 'failed')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [...all, 'failure_rate 1'].sort())
  await tried('failed', 'delivered')
  await end(drone.device_id, 'sent', 'sent', 'sent', 'sent')
  await world.db.write((tx) => tx.update('devices', { id: drone.device_id }, { max_sms_dayly: 100 }))
  await world.networks(from, { wifi: null, mobile: null, radio: { ready: true, says: 'fine' } })
  await after(HOUR)
  await after(SECOND)
  assert.deepEqual(await open(), [])
})

test('a SIM near the end of its plan, its validity or its balance opens an alert', async (t) => {
  const { rule, after, open, join, world, clock, alerts } = await begin(t)
  const { device_id } = await join('drone')
  const iccid = '8934071234567890123'
  await world.db.write((tx) =>
    tx.insertRow('sims', { company_id: 1, iccid, device_id, slot: 0, number: '+34600111222' }),
  )
  const set = (change: object) => world.db.write((tx) => tx.update('sims', { iccid }, change))
  await rule({ condition: 'plan_used', value: 80 })
  await rule({ condition: 'sim_expires', value: 7 })
  await rule({ condition: 'balance_low', value: 2.5 })
  await rule({ condition: 'balance_low', value: 100, tags: ['roof'] })
  const plan = { parts_per_month: 1_000, recipients_per_month: 100, renews_on_day: 1 }
  await set({ ...plan, used_since: instant(clock.now()), used_parts: 100, used_recipients: 79 })
  await set({ valid_until: '2026-06-18', balance_amount: 2.5, balance_currency: 'EUR' })
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await set({ used_recipients: 80, valid_until: '2026-06-17', balance_amount: 2.49 })
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [`balance_low ${iccid}`, `plan_used ${iccid}`, `sim_expires ${iccid}`])
  assert.deepEqual(
    (await alerts()).map(({ detail }) => detail).sort(),
    [
      'Its balance is 2.49 EUR.',
      'Its plan is valid until 2026-06-17.',
      'It has used 80 of the 100 recipients of its plan.',
    ].sort(),
  )
  assert.deepEqual((await alerts())[0]!.subject, { kind: 'sim', id: iccid, name: '+34600111222' })
  await set({ balance_amount: 20, used_recipients: 0, valid_until: null })
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
})

test('a SIM that the network says has no credit opens an alert of a low balance until a message goes out', async (t) => {
  const { rule, after, open, join, alerts, world, clock } = await begin(t)
  const from = await (await join('drone')).connect()
  const [iccid] = ICCIDS
  await world.networks(from, { mobile: { sims: [{ iccid }] } })
  await rule({ condition: 'balance_low', value: 0.01 })
  const report = async (outcome: { state: ReportState; code?: string }) => {
    const sms = { device_uid: 'drone', telefono_to: '+34600111222', mensaje_sms: 'hola' }
    const { guid } = await queueMessage(world.needs, SUPERADMIN, sms)
    await world.settle()
    await world.reports(from, [{ guid, attempt: 1, at: instant(clock.now()), ...outcome }])
    await after(SECOND)
    await after(SECOND)
  }
  await report({ state: 'failed', code: 'no_credit' })
  assert.deepEqual(await open(), [`balance_low ${iccid}`])
  assert.equal((await alerts())[0]!.detail, 'It has no credit.')
  await report({ state: 'sent' })
  assert.deepEqual(await open(), [])
  const balance = { balance_amount: 5, balance_currency: 'EUR' }
  await world.db.write((tx) => tx.update('sims', { iccid }, balance))
  await report({ state: 'failed', code: 'no_credit' })
  assert.equal((await alerts())[0]!.detail, 'Its balance is 0 EUR.')
})

test('a queue that does not move opens an alert, but not for messages that may not go yet', async (t) => {
  const { rule, after, open, world, clock } = await begin(t)
  await rule({ condition: 'queue_age', value: 10 })
  const wait = (id: number, priority: number, due_ms: number) =>
    world.db.write(async (tx) => {
      const now = instant(clock.now())
      const expires_at = instant(clock.now() + 100 * HOUR)
      await tx.insert('messages', [
        {
          id,
          company_id: 1,
          guid: `guid-${id}`,
          message: 'x',
          message_to: '+34600111222',
          parts: 1,
          priority,
          silent: 0,
          task: 1,
          queue_timestamp: now,
          expires_at,
        },
      ])
      const due_at = instant(clock.now() + due_ms)
      await tx.insert('queue', [{ id, company_id: 1, priority, due_at, expires_at }])
    })
  const MARKETING = 2
  const first =
    (await world.db.read.query<{ id: number | null }>('select max(id) as id from messages'))[0]!.id ?? 0
  await wait(first + 1, 1, 5 * HOUR)
  // It is 10 o'clock there, so marketing may go until 20.
  await after(10 * HOUR + 30 * MINUTE)
  await world.db.write((tx) => tx.delete('queue', { id: first + 1 }))
  await wait(first + 2, MARKETING, 0)
  await after(HOUR)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await wait(first + 3, 1, 0)
  await after(9 * MINUTE)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await after(MINUTE)
  await after(SECOND)
  assert.deepEqual(await open(), ['queue_age 1'])
  await world.db.write((tx) => tx.delete('queue', { id: first + 3 }))
  await after(SECOND)
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
