import { randomUUID } from 'node:crypto'
import {
  MAX_SEGMENTS,
  type NewSms,
  SENT_VIA_MQTT,
  type SmsAccepted,
} from '@sdd/contract/messages/messages.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { type Clock, DAY_MS, formatDuration, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import { countRecipient } from '#server/messages/destinations/counting.ts'
import { type DestinationRules, refuseDestination } from '#server/messages/destinations/rules.ts'
import { type DeviceRow, requireDevice } from '#server/fleet/devices/devices.ts'
import { maintainedUntil } from '#server/fleet/devices/maintenance.ts'
import { countQueued, sentOn } from '#server/fleet/devices/capacity.ts'
import { planWaits } from '#server/fleet/sims/plans.ts'
import { refuseOptedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { type Numbers, requireNumber } from '#server/accounts/settings/numbers.ts'
import { sharedSettings } from '#server/accounts/settings/settings.ts'
import { PERSON_PRIORITY } from './classes.ts'
import { addMessage, type MoveNeeds } from './moving.ts'
import { announceQueued, type QueuedNeeds } from './queued.ts'

type Needs = MoveNeeds &
  QueuedNeeds & {
    db: Database
    diskSpace: Pick<DiskSpace, 'refuseIfShort'>
    destinations: Pick<DestinationRules, 'of'>
    numbers: Pick<Numbers, 'country' | 'kept'>
  }

/** A person's message that is not handed over by then expires. */
export const LIFETIME_MS = DAY_MS

/**
 * Stores a message for one connected device, and resolves once it is on disk and being dispatched. Refuses without
 * storing anything: `unknown_device`, `invalid`, `destination_refused`, `opted_out`, `device_disconnected`,
 * `device_disabled`, `device_in_maintenance`, `sending_disabled`, `daily_limit`, `plan_used`, `recipient_limit`,
 * `disk_full`.
 */
export async function queueMessage(needs: Needs, caller: Caller, sms: NewSms): Promise<SmsAccepted> {
  const { db, diskSpace, clock, destinations, numbers } = needs
  diskSpace.refuseIfShort()
  const parts = countParts(sms.mensaje_sms, 'mensaje_sms')
  const guid = randomUUID()
  const now_ms = clock.now()
  const now = instant(now_ms)
  const { id: device_id, company_id } = await db.write(async (tx) => {
    const device = await requireDevice(tx, caller.scope, sms.device_uid)
    const number = requireNumber(numbers, device.company_id, sms.telefono_to, 'telefono_to')
    const settings = await sharedSettings(tx, caller.scope, device.company_id)
    const rules = await destinations.of(tx, device.company_id, settings.destinations)
    if (rules) refuseDestination(rules, number, 'telefono_to')
    await refuseOptedOut(tx, device.company_id, number)
    refuseUnlessReady(device, settings, now_ms)
    refuseAboveLimit(device, parts, clock, now_ms)
    await refuseAbovePlan(tx, clock, device, { message_to: number, parts })
    if (rules) await countRecipient(tx, clock, device.company_id, rules, number)
    await addMessage(tx, needs, {
      company_id: device.company_id,
      guid,
      device_id: device.id,
      message: sms.mensaje_sms,
      message_to: number,
      parts,
      priority: PERSON_PRIORITY,
      silent: 0,
      queued_by: caller.user_id,
      queued_by_name: caller.name,
      queue_timestamp: now,
      task: 0,
      due_at: now,
      expires_at: instant(now_ms + LIFETIME_MS),
    })
    await countQueued(tx, device.id, 1)
    return device
  })
  crashPoint('stored')
  announceQueued(needs, { company_id, device_id })
  return { status: SENT_VIA_MQTT, guid }
}

/** The number of SMS segments; `invalid`, on this field, if there are too many. */
export function countParts(text: string, field: string): number {
  const { segments } = measureText(text)
  if (segments <= MAX_SEGMENTS) return segments
  const why = `takes ${segments} SMS; ${MAX_SEGMENTS} is the most`
  throw new Refusal('invalid', `The text ${why}. Shorten it.`, {
    fields: { [field]: fault(why, 'too_many_segments', { segments, max: MAX_SEGMENTS }) },
  })
}

type Switch = { send_enabled: 0 | 1; send_enabled_at: string; sending_changed_by: string | null }

function refuseUnlessReady(device: DeviceRow, settings: Switch, now_ms: number): void {
  const until = maintainedUntil(device, instant(now_ms))
  if (until !== undefined) {
    throw new Refusal(
      'device_in_maintenance',
      `The device ${device.uid} is in maintenance until ${until}. Choose another one.`,
      { params: { device: device.uid, until } },
    )
  }
  if (device.status !== 'connected') {
    const away = formatDuration((now_ms - Date.parse(device.status_at)) / 1000)
    throw new Refusal(
      'device_disconnected',
      `The device ${device.uid} has been disconnected for ${away}. Choose one that is connected.`,
      { params: { device: device.uid, since: device.status_at } },
    )
  }
  if (device.enabled === 0) {
    throw new Refusal(
      'device_disabled',
      `The device ${device.uid} is disabled. Enable it, or choose another one.`,
      { params: { device: device.uid, since: device.enabled_at } },
    )
  }
  if (settings.send_enabled === 0) {
    throw new Refusal('sending_disabled', 'Sending is switched off in Settings. Switch it on to send.', {
      params: { since: settings.send_enabled_at, by: settings.sending_changed_by },
    })
  }
}

function refuseAboveLimit(device: DeviceRow, parts: number, clock: Clock, now_ms: number): void {
  const sent = sentOn(device, clock.day(now_ms))
  if (sent + parts <= device.max_sms_dayly) return
  const until_ms = clock.midnightAfter(now_ms)
  const wait_secs = Math.ceil((until_ms - now_ms) / 1000)
  throw new Refusal(
    'daily_limit',
    `The device ${device.uid} may send ${device.max_sms_dayly} SMS a day and has sent ${sent}; this one takes ` +
      `${parts}. Choose another device, raise its limit in Settings, or wait ${formatDuration(wait_secs)}.`,
    {
      params: {
        device: device.uid,
        limit: device.max_sms_dayly,
        sent,
        parts,
        until: instant(until_ms),
      },
      retry_after_secs: wait_secs,
    },
  )
}

async function refuseAbovePlan(
  tx: Tx,
  clock: Clock,
  { id: device_id, uid: device, names_sims }: DeviceRow,
  message: { message_to: string; parts: number },
): Promise<void> {
  if (names_sims === 0) return
  const asked = { id: 0, device_id, from_number: null, ...message }
  const wait = (await planWaits(tx, instant(clock.now()), [asked])).get(asked.id)
  if (wait === undefined) return
  const { iccid, at, valid_until } = wait
  const wait_secs = Math.ceil((Date.parse(at) - clock.now()) / 1000)
  const why =
    valid_until === undefined
      ? `The plan of the SIM ${iccid} in ${device} is used up, and renews in ${formatDuration(wait_secs)}.`
      : `The SIM ${iccid} in ${device} was valid until ${valid_until}.`
  throw new Refusal('plan_used', `${why} Choose another device, or change the plan.`, {
    params: { device, ...wait },
    ...(valid_until === undefined && { retry_after_secs: wait_secs }),
  })
}
