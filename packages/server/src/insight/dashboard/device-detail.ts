import type {
  DeviceAttempt,
  DeviceCounts,
  DeviceDetail,
  DeviceHistory,
  HeldMessage,
} from '@sdd/contract/insight/device-detail.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { invalidField } from '#server/core/field-faults.ts'
import type { Database } from '#server/database/open.ts'
import { reasonsOf } from '#server/dispatch/why-waiting/reasons.ts'
import { waitingFieldsOf } from '#server/dispatch/why-waiting/sentences.ts'
import { type DeviceLinks, namedSims, readListedDevice } from '#server/fleet/devices/devices.ts'
import { simsOfDevice } from '#server/fleet/sims/sims.ts'
import { readPresence } from '#server/fleet/presence/history.ts'
import { latestTelemetry, readTelemetryHistory } from '#server/fleet/telemetry/telemetry.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { deviceDetailStore } from './device-detail.store.ts'

type Needs = {
  db: Pick<Database, 'read' | 'readInWorker'>
  clock: Clock
  broker: Pick<DeviceLinks, 'lastSeen'>
  numbers: Pick<Numbers, 'kept'>
}
type Named = { id: number; company_id: number }

const MOST_HELD = 100
const MOST_ATTEMPTS = 20

/** A device with its SIMs, its counts, its unfinished messages and its latest attempts. `unknown_device` outside the scope. */
export async function readDeviceDetail(needs: Needs, scope: Scope, uid: string): Promise<DeviceDetail> {
  const { clock } = needs
  const device = await readListedDevice(needs, scope, uid)
  const days = lastDays(clock.day(clock.now()), 7)
  return {
    ...device,
    sims: await simsOfDevice(needs, device, await namedSims(needs.db.read, uid)),
    telemetry: await latestTelemetry(needs, device.id),
    today: await countsOf(needs, device, days.slice(0, 1)),
    week: await countsOf(needs, device, days),
    holds: await readHeld(needs, device),
    attempts: await readAttempts(needs, device),
  }
}

/** The last 24 hours by default. `unknown_device` outside the scope. */
export async function readDeviceHistory(
  needs: Needs,
  scope: Scope,
  uid: string,
  asked: { from?: string | undefined; to?: string | undefined },
): Promise<DeviceHistory> {
  const device = await readListedDevice(needs, scope, uid)
  const to_ms = asked.to === undefined ? needs.clock.now() : Date.parse(asked.to)
  const from_ms = asked.from === undefined ? to_ms - DAY_MS : Date.parse(asked.from)
  if (from_ms >= to_ms)
    throw invalidField('from', 'must be before to', 'out_of_range', { min: null, max: instant(to_ms) })
  return {
    presence: await readPresence(needs, device, { from: instant(from_ms), to: instant(to_ms) }),
    telemetry: await readTelemetryHistory(needs, device.id, { from_ms, to_ms }),
  }
}

async function countsOf({ db }: Needs, device: Named, days: readonly string[]): Promise<DeviceCounts> {
  const rows = await deviceDetailStore(db.read, device).counts(days)
  const count = (figure: string) => Math.max(0, rows.find((row) => row.figure === figure)?.count ?? 0)
  return {
    sent: count('sent'),
    delivered: count('delivered'),
    failed: Math.max(0, count('failed') - count('uncertain')),
    uncertain: count('uncertain'),
    received: count('received'),
  }
}

async function readHeld({ db, clock }: Needs, device: Named): Promise<HeldMessage[]> {
  const rows = await deviceDetailStore(db.read, device).held(MOST_HELD)
  const reasons = await reasonsOf(db.read, clock, rows)
  return rows.map((row) => ({
    guid: row.guid,
    to: row.message_to,
    class: classOf(row),
    state: row.state,
    since: row.assigned_at ?? row.queue_timestamp,
    ...waitingFieldsOf(reasons.get(row.id)),
  }))
}

async function readAttempts({ db, clock }: Needs, device: Named): Promise<DeviceAttempt[]> {
  const day = (time: string) => clock.day(Date.parse(time))
  const made = await deviceDetailStore(db.read, device).attempts(MOST_ATTEMPTS, day)
  return made.map(
    ({
      guid,
      message_to: to,
      attempt,
      sim,
      given_at,
      accepted_at,
      sent_at,
      delivered_at,
      state,
      code,
      detail,
    }) => ({
      company_id: device.company_id,
      guid,
      to,
      attempt,
      sim,
      given_at,
      accepted_at,
      sent_at,
      delivered_at,
      state,
      code,
      detail,
    }),
  )
}

/** This day and those before it. */
function lastDays(day: string, days: number): string[] {
  const today_ms = Date.parse(`${day}T00:00:00Z`)
  return Array.from({ length: days }, (_, n) =>
    new Date(today_ms - n * DAY_MS).toISOString().slice(0, day.length),
  )
}
