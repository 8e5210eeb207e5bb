import type { Now } from '#server/core/clock.ts'
import { DEVICE_WINDOW, type HeldDevice } from '#server/fleet/devices/capacity.store.ts'
import { sentOn } from '#server/fleet/devices/capacity.ts'
import { maintainedUntil } from '#server/fleet/devices/maintenance.ts'
import { NEVER } from '#server/fleet/devices/sim-room.ts'

/** When the device may be given something; infinite if only an event can free it. */
export function freeFrom(device: HeldDevice, { now, now_ms, day }: Now): number {
  const { plan_until } = device
  const maintained_until = maintainedUntil(device, now)
  if (maintained_until !== undefined) return Date.parse(maintained_until)
  if (device.unfinished >= DEVICE_WINDOW || sentOn(device, day) >= device.max_sms_dayly) return Infinity
  if (plan_until !== null && plan_until > now) return plan_until === NEVER ? Infinity : Date.parse(plan_until)
  if (device.next_slot_at > now) return Date.parse(device.next_slot_at)
  if (device.queued > 0) return now_ms
  const shared_at = later(device.aside_until, device.quarantined_until ?? '')
  if (shared_at > now) return Date.parse(shared_at)
  // After a quarantine it gets one task at a time.
  return device.quarantined_until !== null && device.unfinished > 0 ? Infinity : now_ms
}

/** The same after it was `given` messages. */
export function freeAfter(device: HeldDevice, given: { messages: number }, now_ms: number): number {
  if (device.unfinished + given.messages >= DEVICE_WINDOW || device.quarantined_until !== null)
    return Infinity
  return now_ms + device.spoof_time_secs * 1_000
}

/** Sorts devices by how long their slots have been open. */
export function bySlot(one: HeldDevice, other: HeldDevice): number {
  if (one.next_slot_at === other.next_slot_at) return one.id - other.id
  return one.next_slot_at < other.next_slot_at ? -1 : 1
}

function later(one: string, other: string): string {
  return one > other ? one : other
}
