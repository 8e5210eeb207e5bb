import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ReportState } from '@sdd/contract/fleet/device-protocol.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as fc from 'fast-check'
import { bucketOf } from '#server/messages/messages/moving.ts'
import { HOUR, SECOND, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice, type TestDevice } from './device.ts'
import { openTables, type Tables } from './engine.ts'
import { ALL_MESSAGES } from './message-tables.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** In Madrid it is already the next day, which has 23 hours. */
const clock = testClock('2026-03-28T23:10:00Z')
let server: TestServer
let tables: Tables

before(async () => {
  server = await startServer({ clock })
  tables = await openTables(server)
})
after(async () => {
  await tables.close()
  await server.stop()
})

const signIn = async () => (await enter(server, ADMIN.username, ADMIN.password)).token

type Step =
  | { kind: 'send'; device: number }
  | { kind: 'report'; device: number; command: number; state: ReportState; code: string; age_secs: number }
  | { kind: 'reply'; device: number; command: number }
  | { kind: 'pass'; hours: number }
  | { kind: 'unlink'; device: number }

const DEVICES = 3
const device = fc.nat(DEVICES - 1)
const command = fc.nat(30)
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('send'), device }) },
    {
      weight: 24,
      arbitrary: fc.record({
        kind: fc.constant('report'),
        device,
        command,
        state: fc.constantFrom('accepted', 'sent', 'delivered', 'undelivered', 'failed'),
        code: fc.constantFrom('no_network', 'timeout', 'unknown_outcome', 'cancelled', 'expired'),
        age_secs: fc.nat(7_200),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('reply'), device, command }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('pass'), hours: fc.integer({ min: 1, max: 30 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('unlink'), device }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 30, maxLength: 60 },
)

test('whatever happens to messages, the counters always equal a recount', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      let token = await signIn()
      const linked: TestDevice[] = []
      for (let n = 0; n < DEVICES; n++) {
        linked.push(await connectDevice(await linkTestDevice(server, token, `counted-${run}-${n}`)))
      }
      run++
      for (const step of steps) {
        if (step.kind === 'pass') {
          clock.advance(step.hours * HOUR)
          token = await signIn()
          await eventually(nothingOverdue)
        } else {
          await take(step, linked[step.device]!, token)
        }
        assert.deepEqual(await counted(), await recounted(), `after ${JSON.stringify(step)}`)
      }
      for (const device of linked) device.vanish()
    }),
    { numRuns: 8, endOnFailure: true },
  )
  const states = await tables.all(`select distinct state from ${ALL_MESSAGES}`)
  assert.ok(states.length >= 5, `the messages reached only ${states.length} states`)
})

async function take(step: Exclude<Step, { kind: 'pass' }>, device: TestDevice, token: string) {
  switch (step.kind) {
    case 'send': {
      const telefono_to = `+3460000${device.commands.length + 1000}`
      const body = { device_uid: device.uid, telefono_to, mensaje_sms: 'hola' }
      await call(server, messages.sendSms, { token, body })
      return
    }
    case 'report': {
      const given = device.commands.filter(({ type }) => type === 'send')
      if (given.length === 0 || !device.client.connected) return
      const { guid } = given[step.command % given.length]!
      const at = new Date(clock.now() - step.age_secs * SECOND).toISOString()
      await device.report({ guid, state: step.state, code: step.code, at })
      return
    }
    case 'reply': {
      const given = device.commands.filter(({ type }) => type === 'send')
      if (given.length === 0 || !device.client.connected) return
      const { to } = given[step.command % given.length]!
      const at = new Date(clock.now()).toISOString()
      await device.publish('inbox', { id: crypto.randomUUID(), from: to, text: 'vale', at })
      return
    }
    case 'unlink': {
      const cut =
        device.client.connected &&
        new Promise<void>((resolve) => device.client.once('close', () => resolve()))
      await call(server, devices.unlinkDevice, { token, params: { uid: device.uid } })
      await cut
      return
    }
  }
}

async function nothingOverdue(): Promise<boolean> {
  const now = new Date(clock.now()).toISOString()
  const an_hour_ago = new Date(clock.now() - HOUR).toISOString()
  const overdue = await tables.all(
    `select id from ${ALL_MESSAGES}
      where step <> 'finished' and expires_at <= case when handed_timestamp is null then ? else ? end limit 1`,
    now,
    an_hour_ago,
  )
  return overdue.length === 0
}

/** The number of messages under each key. */
type Counts = Map<string, number>

async function counted(): Promise<Counts> {
  const rows = await tables.all(
    'select figure, company_id, period, key, count from counters where count <> 0',
  )
  return new Map(
    rows.map((row): [string, number] => [
      [row['figure'], row['company_id'], row['period'], row['key']].join(' '),
      Number(row['count']),
    ]),
  )
}

/** Counted independently, so that the two agree only if both are right. */
async function recounted(): Promise<Counts> {
  const counts: Counts = new Map()
  for (const row of await tables.all(PLACES)) {
    const at = String(row['at'])
    const period = row['per'] === 'day' ? clock.day(Date.parse(at)) : at.slice(0, 'YYYY-MM-DDTHH'.length)
    const took_ms = Date.parse(String(row['until'])) - Date.parse(String(row['since']))
    const key = row['key'] ?? bucketOf(took_ms)
    const place = [row['figure'], row['company_id'], period, key].join(' ')
    counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  return counts
}

/** Every key that a message counts under: by hour or by day of `at`, with `key` or the duration. */
const PLACES = `
  select 'state' as figure, company_id, 'hour' as per, queue_timestamp as at, state as key, '' as since, '' as until
  from ${ALL_MESSAGES}
  union all
  select 'handover', company_id, 'hour', queue_timestamp, null, queue_timestamp, handed_timestamp
  from ${ALL_MESSAGES} where handed_timestamp is not null
  union all
  select 'delivery', company_id, 'hour', queue_timestamp, null, answer_sent_timestamp, answer_2_timestamp
  from ${ALL_MESSAGES} where answer_sent_timestamp is not null and answer_2_timestamp is not null and error is null
  union all
  select 'sent', company_id, 'day', completed_at, cast(device_id as text), '', ''
  from ${ALL_MESSAGES} where state in ('sent', 'delivered', 'replied')
  union all
  select 'delivered', company_id, 'day', completed_at, cast(device_id as text), '', ''
  from ${ALL_MESSAGES} where state in ('delivered', 'replied')
  union all
  select 'failed', company_id, 'day', completed_at, cast(device_id as text), '', ''
  from ${ALL_MESSAGES} where state in ('failed', 'uncertain', 'expired')
  union all
  select 'uncertain', company_id, 'day', completed_at, cast(device_id as text), '', ''
  from ${ALL_MESSAGES} where state = 'uncertain'
  union all
  select 'received', company_id, 'day', received_at, cast(device_id as text), '', '' from inbox
  union all
  select 'failure', company_id, 'day', completed_at, error, '', ''
  from ${ALL_MESSAGES} where state in ('failed', 'uncertain', 'expired')`
