import type { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DeviceRow } from '#server/fleet/devices/devices.ts'
import { DEVICE_WINDOW, devicesById, sentOn } from '#server/fleet/devices/capacity.ts'
import { settingsByCompany } from '#server/accounts/settings/settings.ts'
import { deviceOf } from '#server/dispatch/lanes/lanes.ts'
import { type LanedRow, laneFacts, waitingInLane } from './lane-reasons.ts'
import type { Message } from '#server/messages/messages/rows.ts'

type Facts = {
  device: DeviceRow | undefined
  settings: { send_enabled: 0 | 1; send_enabled_at: string; spoof_time_secs: number } | undefined
  clock: Clock
}

/** The columns that explain why a message is waiting. */
export type WaitingRow = LanedRow &
  Pick<
    Message,
    | 'id'
    | 'device_id'
    | 'step'
    | 'due_at'
    | 'discard_asked_at'
    | 'assigned_at'
    | 'look_at'
    | 'handed_timestamp'
  >

/** Why each unfinished message waits: a sentence by the message's id. */
export async function reasonsOf(
  tx: Tx,
  clock: Clock,
  rows: readonly WaitingRow[],
): Promise<Map<number, string>> {
  const open = rows.filter((row) => row.step !== 'finished')
  const laned = open.filter((row) => row.lane !== null)
  const named = open.flatMap((row) => [row.device_id, row.avoid_device_id, deviceOf(row.lane)])
  if (open.length === 0) return new Map()
  // In parallel: in sequence, each query would be queued again.
  const [devices, settings, lanes] = await Promise.all([
    devicesById(tx, [...new Set(named.filter((id) => typeof id === 'number'))]),
    settingsByCompany(tx),
    laned.length > 0 ? laneFacts(tx, clock, laned) : undefined,
  ])
  const reason = (row: WaitingRow): string => {
    const ours = settings.get(row.company_id)
    if (lanes && row.lane !== null) {
      const usual = devices.get(deviceOf(row.lane) ?? 0)
      const avoided = devices.get(row.avoid_device_id ?? 0)
      return waitingInLane(row, lanes, { settings: ours!, usual, avoided, clock })
    }
    const device = devices.get(row.device_id ?? 0)
    return waitingFor(row, { device, settings: ours, clock })
  }
  return new Map(open.map((row) => [row.id, reason(row)]))
}

/**
 * Why a device is not given its waiting message now: the first obstacle, in the order in which a person would have to
 * remove them. `parts` is the number of SMS parts of the message.
 */
export function reasonOf(
  device: Pick<
    DeviceRow,
    'status' | 'enabled' | 'max_sms_dayly' | 'sent_day' | 'sent_parts' | 'unfinished' | 'next_slot_at'
  >,
  settings: { send_enabled: 0 | 1 } | undefined,
  { now, day, parts }: { now: string; day: string; parts: number },
): Exclude<WaitingReason, 'later' | 'no_device' | 'quarantined'> {
  if (settings?.send_enabled === 0) return 'sending_off'
  if (device.status === 'disconnected') return 'device_offline'
  if (device.enabled === 0) return 'device_disabled'
  if (sentOn(device, day) + parts > device.max_sms_dayly) return 'daily_limit'
  if (device.unfinished >= DEVICE_WINDOW) return 'window_full'
  return device.next_slot_at > now ? 'pacing' : 'next'
}

/** A sentence that says why the message waits, since when, and until when if known. */
function waitingFor(row: WaitingRow, { device, settings, clock }: Facts): string {
  if (device === undefined) return 'Its device is no longer linked.'
  const offline = `${device.uid} has been disconnected since ${device.status_at}`
  if (row.step === 'given') return withDevice(row, { device, settings }, offline)
  const until = `it goes out then, or expires at ${row.expires_at}`
  const now_ms = clock.now()
  const [now, day] = [instant(now_ms), clock.day(now_ms)]
  const reason = reasonOf(device, settings, { now, day, parts: row.parts })
  switch (reason) {
    case 'sending_off':
      return switchedOff(row, settings)
    case 'device_offline':
      return `Device offline: ${offline}; once it is back ${until}.`
    case 'device_disabled':
      return `Device disabled: ${device.uid} has been disabled since ${device.enabled_at}; once it is enabled ${until}.`
    case 'daily_limit':
      return row.parts > device.max_sms_dayly
        ? `Daily limit: it takes ${row.parts} SMS and ${device.uid} may send ${device.max_sms_dayly} a day; raise the limit in Settings.`
        : `Daily limit reached: ${device.uid} has sent ${sentOn(device, day)} of ${device.max_sms_dayly} SMS today; it goes on at ${instant(clock.midnightAfter(now_ms))}.`
    case 'window_full':
    case 'pacing':
    case 'next':
      return row.due_at !== null && row.due_at > now
        ? `It is tried again at ${row.due_at}.`
        : inTurn(row, device, settings, reason)
  }
}

function switchedOff(row: WaitingRow, settings: Facts['settings']): string {
  return `Sending has been switched off in Settings since ${settings?.send_enabled_at}: it waits until that is on again, or expires at ${row.expires_at}.`
}

function inTurn(
  row: WaitingRow,
  device: DeviceRow,
  settings: Facts['settings'],
  reason: 'window_full' | 'pacing' | 'next',
): string {
  if (reason === 'window_full') {
    return `${device.uid} has ${DEVICE_WINDOW} unfinished messages; it is handed over when one of them ends.`
  }
  if (reason === 'pacing') {
    return `Pacing: ${device.uid} is handed one message every ${settings?.spoof_time_secs} s; the next slot opens at ${device.next_slot_at}, ${device.queued} wait for it.`
  }
  return `Next in the queue of ${device.uid} since ${row.queue_timestamp}.`
}

function withDevice(
  row: WaitingRow,
  { device, settings }: Pick<Facts, 'settings'> & { device: DeviceRow },
  offline: string,
): string {
  const connected = device.status === 'connected'
  if (row.discard_asked_at !== null) {
    const told = `It was discarded at ${row.discard_asked_at}, after ${device.uid} had been given it: ${device.uid} is told to drop it until it answers`
    return connected ? `${told}.` : `${told}; ${offline}.`
  }
  if (row.handed_timestamp !== null) {
    const since = `${device.uid} accepted it at ${row.handed_timestamp} and has not said yet what became of it`
    return connected ? `${since}.` : `${since}; ${offline}.`
  }
  const since = `${device.uid} was given it at ${row.assigned_at} and has not confirmed it`
  const again = (when: string) => `the command goes out again ${when}, until ${row.expires_at}`
  if (!connected) return `${since}; ${offline}; ${again('when it is back')}.`
  if (settings?.send_enabled === 0) {
    return `${since}; sending has been switched off in Settings since ${settings.send_enabled_at}; ${again('once it is on')}.`
  }
  if (device.enabled === 0) {
    return `${since}; it has been disabled since ${device.enabled_at}; ${again('once it is enabled')}.`
  }
  return `${since}; the command goes out again at ${row.look_at}.`
}
