import type { Waiting, WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { type Clock, instant, nowOf } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { type DeviceRow, devicesById } from '#server/fleet/devices/devices.ts'
import { inMaintenance, maintainedUntil } from '#server/fleet/devices/maintenance.ts'
import { readRules } from '#server/fleet/routes/company-routes.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import { DEVICE_WINDOW, sentOn } from '#server/fleet/devices/capacity.ts'
import type { CompanyRules } from '#server/accounts/settings/numbers.ts'
import { planWaits, type PlanWait } from '#server/fleet/sims/plans.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import { settingsByCompany } from '#server/accounts/settings/settings.ts'
import { deviceOf, LATER } from '#server/dispatch/lanes/lane-names.ts'
import { type LanedRow, laneFacts, waitingInLane } from './lane-reasons.ts'
import type { Message } from '#server/messages/messages/rows.ts'

type Facts = {
  device: DeviceRow | undefined
  settings: { send_enabled: 0 | 1; send_enabled_at: string; spoof_time_secs: number } | undefined
  clock: Clock
  /** The plan that holds it up. */
  plan?: PlanWait | undefined
}

/** The columns that explain why a message is waiting. */
type WaitingRow = LanedRow &
  Pick<
    Message,
    | 'id'
    | 'device_id'
    | 'step'
    | 'due_at'
    | 'message_to'
    | 'priority'
    | 'discard_asked_at'
    | 'assigned_at'
    | 'look_at'
    | 'handed_timestamp'
  >

/** Why each unfinished message waits, by the message's id. */
export async function reasonsOf(
  tx: Tx,
  clock: Clock,
  rows: readonly WaitingRow[],
): Promise<Map<number, Waiting>> {
  const open = rows.filter((row) => row.step !== 'finished')
  const laned = open.filter((row) => row.lane !== null)
  const named = open.flatMap((row) => [row.device_id, row.avoid_device_id, deviceOf(row.lane)])
  if (open.length === 0) return new Map()
  // In parallel: in sequence, each query would be queued again.
  const [devices, settings] = await Promise.all([
    devicesById(tx, [...new Set(named.filter((id) => typeof id === 'number'))]),
    settingsByCompany(tx),
  ])
  const lanes =
    laned.length > 0 ? await laneFacts(tx, clock, laned, await routesOf(tx, laned, settings)) : undefined
  const now_ms = clock.now()
  const plans = await planWaits(tx, instant(now_ms), planned(open, devices))
  const reason = (row: WaitingRow): Waiting => {
    const ours = settings.get(row.company_id)
    const hours = ours && waitingForHours(row, ours, now_ms)
    if (hours) return hours
    if (lanes && row.lane !== null) {
      const usual = devices.get(deviceOf(row.lane) ?? 0)
      const avoided = devices.get(row.avoid_device_id ?? 0)
      return waitingInLane(row, lanes, { settings: ours!, usual, avoided, clock })
    }
    const device = devices.get(row.device_id ?? 0)
    return waitingFor(row, { device, settings: ours, clock, plan: plans.get(row.id) })
  }
  return new Map(open.map((row) => [row.id, reason(row)]))
}

/** The routes of the companies that have any. */
async function routesOf(
  tx: Tx,
  rows: readonly LanedRow[],
  settings: ReadonlyMap<number, CompanyRules & { company_id: number; routes: number }>,
): Promise<Map<number, RouteRules>> {
  const found = new Map<number, RouteRules>()
  for (const company_id of new Set(rows.map((row) => row.company_id))) {
    const ours = settings.get(company_id)
    const rules = ours && ours.routes !== 0 ? await readRules(tx, ours) : undefined
    if (rules) found.set(company_id, rules)
  }
  return found
}

/** The messages that wait for a device with plans. */
function planned(rows: readonly WaitingRow[], devices: ReadonlyMap<number, DeviceRow>) {
  return rows.filter(
    (row): row is WaitingRow & { device_id: number } =>
      row.step === 'waiting' && row.lane === null && devices.get(row.device_id ?? 0)?.names_sims === 1,
  )
}

/** A message that could go by everything that people set is outside its hours. */
function waitingForHours(
  row: WaitingRow,
  settings: CompanyRules & { send_enabled: 0 | 1 },
  now_ms: number,
): Waiting | undefined {
  if (row.step !== 'waiting' || settings.send_enabled === 0 || (row.due_at ?? '') > instant(now_ms))
    return undefined
  // Its campaign is paused.
  if (row.lane === LATER && row.lane_until === null) return undefined
  const until_ms = closedUntil(settings, row, now_ms)
  if (until_ms === undefined) return undefined
  const until = instant(until_ms)
  return { code: 'sending_hours', params: { until, at: until, class: classOf(row) } }
}

/**
 * Why a device is not given its waiting message now: the first obstacle, in the order in which a person would have to
 * remove them. `parts` is the number of SMS parts of the message, and `plan` whether the plans of the device's SIMs hold
 * it up.
 */
export function reasonOf(
  device: Pick<
    DeviceRow,
    | 'status'
    | 'enabled'
    | 'maintenance_until'
    | 'max_sms_dayly'
    | 'sent_day'
    | 'sent_parts'
    | 'unfinished'
    | 'next_slot_at'
  >,
  settings: { send_enabled: 0 | 1 } | undefined,
  { now, day, parts, plan }: { now: string; day: string; parts: number; plan: boolean },
): Exclude<WaitingReason, 'later' | 'no_device' | 'quarantined'> {
  if (settings?.send_enabled === 0) return 'sending_off'
  if (device.enabled === 1 && inMaintenance(device, now)) return 'maintenance'
  if (device.status === 'disconnected') return 'device_offline'
  if (device.enabled === 0) return 'device_disabled'
  if (sentOn(device, day) + parts > device.max_sms_dayly) return 'daily_limit'
  if (plan) return 'plan_used'
  if (device.unfinished >= DEVICE_WINDOW) return 'window_full'
  return device.next_slot_at > now ? 'pacing' : 'next'
}

/** Why the message waits for its device, since when, and until when if known. */
function waitingFor(row: WaitingRow, { device, settings, clock, plan }: Facts): Waiting {
  if (device === undefined) return { code: 'device_unlinked', params: {} }
  const { now_ms, now, day } = nowOf(clock)
  if (row.step === 'given') return withDevice(row, { device, settings, now })
  const { parts, expires_at } = row
  const { uid, max_sms_dayly: limit } = device
  const reason = reasonOf(device, settings, { now, day, parts, plan: plan !== undefined })
  switch (reason) {
    case 'sending_off':
      return { code: reason, params: { since: settings!.send_enabled_at, expires_at } }
    case 'maintenance':
      return { code: reason, params: { device: uid, at: device.maintenance_until! } }
    case 'device_offline':
      return { code: reason, params: { device: uid, since: device.status_at, expires_at } }
    case 'device_disabled':
      return { code: reason, params: { device: uid, since: device.enabled_at, expires_at } }
    case 'daily_limit': {
      if (parts > limit) return { code: 'over_device_limit', params: { device: uid, parts, limit } }
      const at = instant(clock.midnightAfter(now_ms))
      return { code: 'device_limit', params: { device: uid, sent: sentOn(device, day), limit, at } }
    }
    case 'plan_used':
      return { code: reason, params: plan! }
    case 'window_full':
    case 'pacing':
    case 'next':
      return row.due_at !== null && row.due_at > now
        ? { code: 'retry_at', params: { at: row.due_at } }
        : inTurn(row, device, settings, reason)
  }
}

function inTurn(
  row: WaitingRow,
  { uid: device, next_slot_at, queued }: DeviceRow,
  settings: Facts['settings'],
  reason: 'window_full' | 'pacing' | 'next',
): Waiting {
  if (reason === 'window_full') return { code: 'device_window', params: { device, window: DEVICE_WINDOW } }
  if (reason === 'next') return { code: 'device_next', params: { device, since: row.queue_timestamp } }
  return {
    code: 'device_pacing',
    params: { device, every_secs: settings?.spoof_time_secs ?? 0, at: next_slot_at, waiting: queued },
  }
}

/** A device has it. Only its connection matters once it has accepted the message, or has to drop it. */
function withDevice(
  row: WaitingRow,
  { device, settings, now }: Pick<Facts, 'settings'> & { device: DeviceRow; now: string },
): Waiting {
  const maintenance_until = maintainedUntil(device, now)
  const { uid, status, status_at, enabled, enabled_at } = device
  const offline = status === 'connected' ? {} : { offline_since: status_at }
  if (row.discard_asked_at !== null)
    return { code: 'discarding', params: { device: uid, since: row.discard_asked_at, ...offline } }
  if (row.handed_timestamp !== null)
    return { code: 'accepted', params: { device: uid, since: row.handed_timestamp, ...offline } }
  const heldUp = {
    ...offline,
    ...(enabled === 0 && { disabled_since: enabled_at }),
    ...(maintenance_until && { maintenance_until }),
    ...(settings?.send_enabled === 0 && { off_since: settings.send_enabled_at }),
  }
  const given = { device: uid, since: row.assigned_at ?? row.queue_timestamp }
  return Object.keys(heldUp).length === 0
    ? { code: 'unconfirmed', params: { ...given, again_at: row.look_at } }
    : { code: 'unconfirmed', params: { ...given, again_at: null, ...heldUp, expires_at: row.expires_at } }
}
