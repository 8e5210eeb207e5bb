import type { EstimateBasis } from '@sdd/contract/people/campaign-checks.ts'
import type { LimitedBy } from '@sdd/contract/people/campaigns.ts'
import { type Clock, DAY_MS, HOUR_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { CompanyRules } from '#server/accounts/settings/numbers.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'

export type Work = {
  /** Messages that have not left, and their SMS segments. */
  messages: number
  parts: number
  /** One of their numbers: those of a campaign are mostly of one country. */
  number: string
  priority: number
  /** None leaves before. */
  not_before: string | null
  /** The latest time that a row asks for. */
  last_at: string | null
}

/** What a company can send: see `fleetOf`. */
export type Fleet = {
  sending: boolean
  spoof_time_secs: number
  /** Devices that could send now, each with the segments that it may send today, and on any other day. */
  devices: readonly { today: number; daily: number }[]
  /** Enabled devices that could not. */
  away: number
}

export type Estimate = { finishes_at: string | null; limited_by: LimitedBy | null }

/** A modem needs about this long for a segment, without any pacing. */
const SEGMENT_MS = 3_000
const STEP_MS = 30 * MINUTE_MS
/** From here on, the rate so far is continued. */
const HORIZON_MS = 30 * DAY_MS

/** When this work is finished if nothing changes, and what decides that. */
export function estimate(work: Work, fleet: Fleet, rules: CompanyRules, clock: Clock): Estimate {
  const { messages, parts, last_at } = work
  if (messages === 0) return { finishes_at: null, limited_by: null }
  const none = (limited_by: LimitedBy): Estimate => ({ finishes_at: null, limited_by })
  if (!fleet.sending) return none('sending_disabled')
  if (fleet.devices.length === 0) return none('devices')
  const each = parts / messages
  const daily = sum(fleet.devices.map((device) => device.daily)) / each
  if (daily < 1) return none('daily_limit')
  const per_ms = pace(fleet, each)

  const now_ms = clock.now()
  let begins_ms = Math.max(now_ms, work.not_before === null ? 0 : Date.parse(work.not_before))
  const message = { message_to: work.number, priority: work.priority }
  let at_ms = begins_ms
  let left = messages
  let day_ends_ms = clock.midnightAfter(at_ms)
  let room =
    clock.day(at_ms) === clock.day(now_ms) ? sum(fleet.devices.map(({ today }) => today)) / each : daily
  let limited_by: LimitedBy = begins_ms > now_ms ? 'schedule' : 'pacing'
  while (left > 0) {
    if (at_ms - begins_ms > HORIZON_MS) {
      at_ms += ((at_ms - begins_ms) * left) / Math.max(1, messages - left)
      break
    }
    if (at_ms >= day_ends_ms) {
      day_ends_ms = clock.midnightAfter(at_ms)
      room = daily
    }
    const opens_ms = closedUntil(rules, message, at_ms)
    if (opens_ms !== undefined) {
      // Hours that are still closed then never open.
      if (closedUntil(rules, message, opens_ms) !== undefined) return none('sending_hours')
      if (limited_by !== 'daily_limit') limited_by = 'sending_hours'
      if (left === messages) begins_ms = opens_ms
      at_ms = opens_ms
      continue
    }
    const step_ms = Math.min(day_ends_ms, at_ms + STEP_MS - (at_ms % STEP_MS)) - at_ms
    const paced = step_ms * per_ms
    if (left <= Math.min(room, paced)) {
      at_ms += left / per_ms
      break
    }
    if (room < paced) {
      limited_by = 'daily_limit'
      left -= room
      room = 0
      at_ms = day_ends_ms
    } else {
      left -= paced
      room -= paced
      at_ms += step_ms
    }
  }
  if (last_at !== null && Date.parse(last_at) > at_ms) return { finishes_at: last_at, limited_by: 'schedule' }
  return { finishes_at: instant(Math.ceil(at_ms)), limited_by }
}

/** What a person is told about the estimate of this work. */
export function basisOf({ messages, parts }: Pick<Work, 'messages' | 'parts'>, fleet: Fleet): EstimateBasis {
  return {
    devices: fleet.devices.length,
    away: fleet.away,
    per_hour: Math.round(pace(fleet, parts / Math.max(1, messages)) * HOUR_MS),
    room_today: sum(fleet.devices.map(({ today }) => today)),
  }
}

/** Messages in a millisecond, of so many segments each. */
export function pace({ devices, spoof_time_secs }: Fleet, each: number): number {
  return devices.length / Math.max(spoof_time_secs * 1_000, SEGMENT_MS * Math.max(1, each))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
