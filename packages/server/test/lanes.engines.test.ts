import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReportState } from '@sdd/contract/fleet/device-protocol.ts'
import * as fc from 'fast-check'
import { SECOND } from './clock.ts'
import { connectDevice, type TestDevice } from './device.ts'
import { openTables } from './engine.ts'
import { startFleet } from './fleet.ts'
import { ALL_ATTEMPTS, ALL_DEVICES, ALL_MESSAGES, MISPLACED, wrongDays } from './message-tables.ts'

type Step =
  | { kind: 'hand'; to: number; sim: number | undefined; later_secs: number; parts: number }
  | { kind: 'report'; device: number; command: number; state: ReportState; code: string; late: boolean }
  | { kind: 'pass'; secs: number }
  /** Until some device has been handed something. */
  | { kind: 'given' }
  | { kind: 'discard'; task: number }
  | { kind: 'console'; device: number }
  | { kind: 'enable'; device: number; enabled: boolean }
  | { kind: 'limit'; device: number; limit: number }
  | { kind: 'switch'; on: boolean; pace: number }
  | { kind: 'leave'; device: number }
  | { kind: 'return'; device: number }
  | { kind: 'unlink'; device: number }

const DEVICES = 3
const device = fc.nat(DEVICES - 1)
const any = <T>(weight: number, record: { [Field in keyof T]: fc.Arbitrary<T[Field]> }) => ({
  weight,
  arbitrary: fc.record(record) as unknown as fc.Arbitrary<Step>,
})
const steps = fc.array(
  fc.oneof(
    any(14, {
      kind: fc.constant('hand'),
      to: fc.nat(3),
      sim: fc.option(fc.nat(DEVICES), { nil: undefined, freq: 3 }),
      later_secs: fc.constantFrom(0, 0, 0, 20, 90_000),
      parts: fc.constantFrom(1, 1, 3),
    }),
    any(20, {
      kind: fc.constant('report'),
      device,
      command: fc.nat(30),
      state: fc.constantFrom('accepted', 'sent', 'delivered', 'undelivered', 'failed', 'failed'),
      code: fc.constantFrom('no_network', 'timeout', 'unknown_outcome', 'cancelled', 'barred'),
      late: fc.boolean(),
    }),
    any(8, { kind: fc.constant('pass'), secs: fc.constantFrom(1, 11, 61, 700, 40_000) }),
    any(3, { kind: fc.constant('discard'), task: fc.nat(20) }),
    any(3, { kind: fc.constant('console'), device }),
    any(2, { kind: fc.constant('enable'), device, enabled: fc.boolean() }),
    any(2, { kind: fc.constant('limit'), device, limit: fc.constantFrom(0, 2, 100) }),
    any(2, {
      kind: fc.constant('switch'),
      on: fc.constantFrom(true, true, false),
      pace: fc.constantFrom(0, 5),
    }),
    any(2, { kind: fc.constant('leave'), device }),
    any(4, { kind: fc.constant('return'), device }),
    any(1, { kind: fc.constant('unlink'), device }),
  ),
  { minLength: 30, maxLength: 60 },
)

/**
 * Every kind of lane, as random steps do not always reach one, such as a number's usual device with its slot closed.
 */
const everyLane: Step[] = [
  { kind: 'switch', on: true, pace: 600 },
  { kind: 'hand', to: 0, sim: undefined, later_secs: 0, parts: 1 },
  { kind: 'pass', secs: 1 },
  { kind: 'given' },
  ...[0, 1, 2].map((device) => {
    return { kind: 'report', device, command: 0, state: 'sent', code: 'timeout', late: false } as const
  }),
  { kind: 'hand', to: 0, sim: undefined, later_secs: 0, parts: 1 },
  { kind: 'hand', to: 1, sim: DEVICES, later_secs: 0, parts: 1 },
  { kind: 'hand', to: 2, sim: undefined, later_secs: 90_000, parts: 1 },
  // More tasks than devices, so that one for any device waits, however fast they are.
  ...[3, 4, 5].map((to) => ({ kind: 'hand', to, sim: undefined, later_secs: 0, parts: 1 }) as const),
]

test('whatever happens, the counts of queues, lanes, windows and days equal a recount', async (t) => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      await t.test('one fleet', async (t) => {
        const fleet = await startFleet(t)
        const tables = await openTables(fleet.server)
        t.after(() => tables.close())
        const drones: Awaited<ReturnType<typeof fleet.join>>[] = []
        for (let n = 0; n < DEVICES; n++) drones.push(await fleet.join(`drone-${n}`, `60000000${n}`))
        const now: TestDevice[] = [...drones]
        const guids: string[] = []
        for (const step of steps) {
          await take(step, fleet, { drones, now, guids })
          for (const [what, sql] of Object.entries({ ...MISPLACED, ...WRONG }))
            assert.deepEqual(await tables.all(sql), [], `${what}, after ${JSON.stringify(step)}`)
          const days = await wrongDays((text) => tables.all(text))
          assert.deepEqual(days, [], `a device whose day is counted wrong, after ${JSON.stringify(step)}`)
          for (const { lane } of await tables.all(`select distinct lane from ${ALL_MESSAGES}`))
            seen.add(String(lane).split(':')[0]!)
        }
        for (const drone of now) drone.vanish()
      })
    }),
    { numRuns: 6, endOnFailure: true, examples: [[everyLane]] },
  )
  assert.deepEqual([...seen].sort(), ['', 'device', 'later', 'null', 'sim'], 'every kind of lane was used')
})

type Fleet = Awaited<ReturnType<typeof startFleet>>
type Cast = { drones: { linked: { uid: string; secret: string } }[]; now: TestDevice[]; guids: string[] }

async function take(step: Step, fleet: Fleet, { drones, now, guids }: Cast): Promise<unknown> {
  switch (step.kind) {
    case 'hand': {
      const not_before = new Date(fleet.clock.now() + step.later_secs * SECOND).toISOString()
      return guids.push(
        await fleet.hand({
          to_number: `61000000${step.to}`,
          text: 'x'.repeat(step.parts * 150),
          ...(step.sim !== undefined && { from_number: `60000000${step.sim}` }),
          ...(step.later_secs > 0 && { not_before }),
        }),
      )
    }
    case 'report': {
      const drone = now[step.device]!
      const given = drone.commands.filter(({ type }) => type === 'send')
      const command = given[step.command % given.length]
      if (command === undefined || !drone.client.connected) return undefined
      const attempt = step.late ? 1 : command.attempt
      const { state, code } = step
      return drone.report({ guid: command.guid, attempt, state, ...(state === 'failed' && { code }) })
    }
    case 'given':
      return fleet.eventually(() => now.some(({ commands }) => commands.length > 0))
    case 'pass':
      return fleet.pass(step.secs * SECOND)
    case 'discard':
      return guids.length > 0 && fleet.discard(guids[step.task % guids.length]!)
    case 'console':
      return fleet.send(`drone-${step.device}`)
    case 'enable':
      return fleet.setEnabled(`drone-${step.device}`, step.enabled)
    case 'limit':
      return fleet.setLimit(`drone-${step.device}`, step.limit)
    case 'switch':
      return fleet.set(step.pace, step.on)
    case 'leave':
      now[step.device]!.vanish()
      return now[step.device]!.ended
    case 'return': {
      if (now[step.device]!.client.connected) return undefined
      const { linked } = drones[step.device]!
      const back = await connectDevice({ ...linked, mqtt_url: fleet.server.mqtt_url }).catch(() => undefined)
      if (back) now[step.device] = back
      return undefined
    }
    case 'unlink': {
      const was = now[step.device]!
      const { status } = await fleet.unlink(`drone-${step.device}`)
      return status === 204 && was.client.connected && was.ended
    }
  }
}

/** Each query finds rows that must not exist. */
const WRONG = {
  'a lane that is counted wrong': `
    select company_id, lane from (
      select company_id, lane, waiting, 0 as found from lanes
      union all
      select company_id, lane, 0, 1 from queue where lane is not null and lane not like 'device:%') as sums
    group by company_id, lane having sum(waiting) <> sum(found)`,
  'a device whose lane, queue or window is counted wrong': `
    select uid from ${ALL_DEVICES} where unlinked_at is null and (
      sticky <> (select count(*) from queue where lane = 'device:' || devices.id)
      or queued <> (select count(*) from queue where device_id = devices.id)
      or unfinished <> (select count(*) from ${ALL_ATTEMPTS} where device_id = devices.id and finished_at is null))`,
  'a device with more than it may have': `
    select uid from ${ALL_DEVICES} where unfinished > 10 or unfinished < 0 or queued < 0 or sticky < 0`,
  'a message that waits nowhere, or in two places': `
    select guid from ${ALL_MESSAGES} where (step = 'waiting') <> ((lane is null) <> (device_id is null))
      and not (step <> 'waiting' and lane is null)`,
  'a message that is in a lane and does not wait': `
    select guid from ${ALL_MESSAGES} where (lane is not null or lane_until is not null) and step <> 'waiting'`,
  'a message that nobody has and that is said to be with a device': `
    select guid from ${ALL_MESSAGES} where step = 'given' and not exists (
      select 1 from ${ALL_ATTEMPTS} where message_id = messages.id and attempts.attempt = messages.attempt
        and attempts.device_id = messages.device_id and finished_at is null)`,
  'a message that two devices may send': `
    select message_id from ${ALL_ATTEMPTS} where finished_at is null and cancel_at is null
    group by message_id having count(*) > 1`,
  'a message with more than three attempts': `select guid from ${ALL_MESSAGES} where attempt > 3`,
  'a finished message without its end': `
    select guid from ${ALL_MESSAGES} where step = 'finished' and (completed_at is null or state in ('queued', 'handed'))`,
}
