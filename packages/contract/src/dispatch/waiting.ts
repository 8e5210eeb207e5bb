import * as z from 'zod/mini'
import { Instant, MessageClass } from '@sdd/contract/core/fields.ts'

/** Why messages wait, as the dashboard counts them; `waiting_for` in the log says it as a sentence. */
export const WaitingReason = z.enum([
  'sending_off',
  /** Tasks scheduled for later, or to be retried later. */
  'later',
  'no_device',
  'maintenance',
  'device_offline',
  'device_disabled',
  'daily_limit',
  /** The plans of its SIMs are used up. */
  'plan_used',
  'quarantined',
  'window_full',
  'pacing',
  'next',
])
export type WaitingReason = z.infer<typeof WaitingReason>

const Device = z.string()
const Count = z.int()
const expires_at = Instant

/** What holds up a message that a device was given, since or until when. Each is absent if it does not apply. */
const heldUp = {
  offline_since: z.optional(Instant),
  disabled_since: z.optional(Instant),
  maintenance_until: z.optional(Instant),
  off_since: z.optional(Instant),
}

/**
 * The facts behind each `waiting_code`, from which `waiting_for` is made. Times are ISO 8601, `device` is a uid, and
 * `waiting` counts the messages in the same line, this one included.
 */
export const waitingParams = {
  sending_off: z.object({ since: Instant, expires_at }),

  /** Outside the hours of its class. `at` is the same time as `until`. */
  sending_hours: z.object({ until: Instant, at: Instant, class: MessageClass }),

  /** Its campaign is paused. */
  campaign_paused: z.object({}),

  // Without a device yet.
  usual_device: z.object({ device: Device, until: Instant }),
  not_before: z.object({ at: Instant }),
  /** `device` is null if the device of the failed attempt is no longer linked. */
  retry: z.object({ attempt: Count, device: z.nullable(Device), at: Instant }),
  no_device: z.object({ expires_at }),
  no_sim: z.object({ number: z.string(), expires_at }),
  /**
   * No device has the tag that its route or campaign asks for, and the SIM with this `number`, if it asks for one. `tag`
   * is null if its route refuses every message.
   */
  route: z.object({ tag: z.nullable(z.string()), number: z.optional(z.string()), expires_at }),
  /**
   * How many of the devices have which obstacle; the counts add up to `devices`. `plan_used` and
   * `maintenance` are absent if they are 0. `device` is the only one, if
   * there is one. `number` is the requested SIM, `tag` the requested tag, if there is one. `since`: all are offline since then. `at`: one can send again then,
   * if that is known.
   */
  none_can: z.object({
    devices: Count,
    offline: Count,
    disabled: Count,
    at_limit: Count,
    quarantined: Count,
    plan_used: z.optional(Count),
    maintenance: z.optional(Count),
    device: z.nullable(Device),
    number: z.nullable(z.string()),
    tag: z.optional(z.string()),
    at: z.nullable(Instant),
    since: z.nullable(Instant),
    expires_at,
  }),
  /** The device whose maintenance ends first, or the only one that may take it. */
  maintenance: z.object({ device: Device, at: Instant }),
  /** The plan that renews first. `valid_until` is the last day of its SIM, if that is over; then `at` is past. */
  plan_used: z.object({ iccid: z.string(), at: Instant, valid_until: z.optional(z.string()) }),
  over_limits: z.object({ parts: Count, most: Count }),
  no_room: z.object({ parts: Count, at: Instant }),
  window_full: z.object({ window: Count, waiting: Count }),
  pacing: z.object({ every_secs: Count, at: Instant, waiting: Count }),
  next: z.object({ since: Instant, waiting: Count }),

  // For one device.
  device_unlinked: z.object({}),
  device_offline: z.object({ device: Device, since: Instant, expires_at }),
  device_disabled: z.object({ device: Device, since: Instant, expires_at }),
  device_limit: z.object({ device: Device, sent: Count, limit: Count, at: Instant }),
  over_device_limit: z.object({ device: Device, parts: Count, limit: Count }),
  retry_at: z.object({ at: Instant }),
  device_window: z.object({ device: Device, window: Count }),
  device_pacing: z.object({ device: Device, every_secs: Count, at: Instant, waiting: Count }),
  device_next: z.object({ device: Device, since: Instant }),

  // With the device.
  /** `again_at` is null if something holds it up; then the command is repeated until `expires_at`. */
  unconfirmed: z.object({
    device: Device,
    since: Instant,
    again_at: z.nullable(Instant),
    ...heldUp,
    expires_at: z.optional(Instant),
  }),
  accepted: z.object({ device: Device, since: Instant, ...heldUp }),
  discarding: z.object({ device: Device, since: Instant, ...heldUp }),
} as const

type Params = typeof waitingParams

export type WaitingCode = keyof Params
export const waitingCodes = Object.keys(waitingParams) as [WaitingCode, ...WaitingCode[]]
export const WaitingCode = z.enum(waitingCodes)

/** Why a message waits: the code, and the facts of its sentence. */
export type Waiting = { [Code in WaitingCode]: { code: Code; params: z.infer<Params[Code]> } }[WaitingCode]

/** The fields of a message or task that say why it waits; all are null if it does not. */
export const waitingFields = {
  /** Why it waits, since when, and until when if that is known. */
  waiting_for: z.nullable(z.string()),
  /** The same for programs. `waiting_params` has the facts of the sentence: see `waitingParams`. */
  waiting_code: z.nullable(WaitingCode),
  waiting_params: z.nullable(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
}
