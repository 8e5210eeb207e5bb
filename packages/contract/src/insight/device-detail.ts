import * as z from 'zod/mini'
import { AnyInstant, Instant, MessageClass } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { waitingFields } from '@sdd/contract/dispatch/waiting.ts'
import { LatestTelemetry, TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import { Ability } from '@sdd/contract/fleet/orders.ts'
import { Device } from '@sdd/contract/fleet/devices.ts'
import { DeviceSim } from '@sdd/contract/fleet/sims.ts'
import { MessageState } from '@sdd/contract/messages/messages.ts'
import { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'

const Count = z.int().check(z.gte(0))

/** Messages of a device that ended in a period, and SMS that it received. Those that were delivered were sent, too. */
export const DeviceCounts = z.object({
  sent: Count,
  delivered: Count,
  /** Without the uncertain ones. */
  failed: Count,
  uncertain: Count,
  received: Count,
})
export type DeviceCounts = z.infer<typeof DeviceCounts>

/** An unfinished message that this device has, or that only this device may take. */
export const HeldMessage = z.object({
  guid: z.string(),
  to: z.string(),
  class: MessageClass,
  state: MessageState,
  /** When the device was given it, or when it was queued. */
  since: Instant,
  ...waitingFields,
})
export type HeldMessage = z.infer<typeof HeldMessage>

/** One attempt to send a message by this device. */
export const DeviceAttempt = z.extend(z.omit(AttemptDetail, { device: true }), {
  company_id: z.int(),
  guid: z.string(),
  to: z.string(),
})
export type DeviceAttempt = z.infer<typeof DeviceAttempt>

export const DeviceDetail = z.extend(Device, {
  /** What it can be asked to do (`POST /api/device/{uid}/orders`). */
  abilities: z.array(Ability),
  /** As last reported, by slot. */
  sims: z.array(DeviceSim),
  /** Null before the device said anything. */
  telemetry: z.nullable(LatestTelemetry),
  today: DeviceCounts,
  /** Seven days, today included. */
  week: DeviceCounts,
  /** At most 100, the oldest first: messages that it was given, then those that wait for it. */
  holds: z.array(HeldMessage),
  /** The latest 20, the newest first. Also those after which the message went to another device. */
  attempts: z.array(DeviceAttempt),
})
export type DeviceDetail = z.infer<typeof DeviceDetail>

export const readDevice = route('GET /api/device/:uid', {
  summary:
    'One device, with its SIMs, what it did today and this week, its unfinished messages and its latest attempts.',
  params: z.object({ uid: z.string() }),
  reply: DeviceDetail,
  errors: ['unknown_device'],
})

/** `unknown` while the server itself was down, and before it kept this history. */
export const PresenceState = z.enum(['connected', 'disconnected', 'unknown'])
export type PresenceState = z.infer<typeof PresenceState>

export const PresenceStretch = z.object({ from: Instant, to: Instant, state: PresenceState })
export type PresenceStretch = z.infer<typeof PresenceStretch>

export const DeviceHistory = z.object({
  /** Oldest first, without holes or overlaps. */
  presence: z.array(PresenceStretch),
  /** Oldest first, 5 minutes apart or a multiple of it: at most 1,000. Times without a reading have none. */
  telemetry: z.array(TelemetryPoint),
})
export type DeviceHistory = z.infer<typeof DeviceHistory>

export const readDeviceHistory = route('GET /api/device/:uid/history', {
  summary:
    'When the device was connected and its telemetry, in the last 24 hours or another period of the last 30 days.',
  params: z.object({ uid: z.string() }),
  query: z.object({ from: z.optional(AnyInstant), to: z.optional(AnyInstant) }),
  reply: DeviceHistory,
  errors: ['unknown_device'],
})
