import type { ReportState } from '@sdd/contract/fleet/device-protocol.ts'
import * as fc from 'fast-check'
import { HOUR, MINUTE, SECOND } from '#test/clock.ts'

/** The devices by name; the last belongs to another company than the rest. */
export const DEVICES = ['a', 'b', 'c', 'stranger'] as const
export type DeviceName = (typeof DEVICES)[number]

/**
 * One event. Numbers that name a message or a recipient are taken modulo the existing ones. So every sequence can be
 * played, even after shrinking removes some events.
 */
export type Event =
  | { kind: 'queue'; device: DeviceName; recipient: number; parts: number }
  | {
      kind: 'hand_in'
      company: 1 | 2
      tasks: { recipient: number; parts: number; sim: number; wait_ms: number; lives_ms: number }[]
    }
  | { kind: 'hand_in_again'; message: number; changed: boolean }
  | { kind: 'discard'; message: number }
  | { kind: 'connect'; device: DeviceName; sims: number }
  | { kind: 'leave'; device: DeviceName; how: 'says so' | 'is cut' | 'late will' }
  | { kind: 'round' }
  | { kind: 'settle' }
  | { kind: 'answer'; device: DeviceName; states: ReportState[]; code: string; block: boolean; parts: number }
  | {
      kind: 'report'
      device: DeviceName
      message: number
      attempt: number
      state: ReportState
      code: string
      block: boolean
      parts: number
      age_ms: number
    }
  /** For an attempt after which the message was tried again. */
  | { kind: 'late_word'; message: number; states: ReportState[] }
  /** Every message that the device has fails. */
  | { kind: 'mishap'; device: DeviceName; code: string }
  | { kind: 'reply'; device: DeviceName; recipient: number; text: string }
  | { kind: 'block'; recipient: number }
  | { kind: 'pass'; ms: number }
  | { kind: 'set'; company: 1 | 2; spoof_time_secs: number; send_enabled: boolean }
  | { kind: 'limit'; device: DeviceName; max_sms_dayly: number }
  | { kind: 'enable'; device: DeviceName; enabled: boolean }
  | { kind: 'unlink'; device: DeviceName }
  /** A route for some numbers to the devices with a tag. Others come after them, or never. */
  | { kind: 'route'; company: 1 | 2; route: 'any' | 'wait' | 'none' }
  | { kind: 'tag'; device: DeviceName; tagged: boolean }
  | { kind: 'restart' }

const device = fc.constantFrom<DeviceName[]>('a', 'a', 'b', 'b', 'c', 'stranger')
const company = fc.constantFrom<(1 | 2)[]>(1, 1, 1, 2)
const message = fc.nat(200)
const recipient = fc.nat(29)
const parts = fc.constantFrom(1, 1, 1, 2, 5)
const code = fc.constantFrom(
  'no_network',
  'modem_error',
  'timeout',
  'unknown_outcome',
  'cancelled',
  'expired',
  'barred',
)
const state = fc.constantFrom<ReportState[]>(
  'accepted',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'failed',
)

const task = fc.record({
  recipient,
  parts,
  /** 0 for any device; else the number of a SIM. */
  sim: fc.constantFrom(0, 0, 0, 1, 2),
  wait_ms: fc.constantFrom(0, 0, 0, 20 * SECOND, HOUR),
  lives_ms: fc.constantFrom(25 * HOUR, 25 * HOUR, MINUTE, 2 * HOUR),
})

const chances: [number, fc.Arbitrary<Event>][] = [
  [10, fc.record({ kind: fc.constant('queue'), device, recipient, parts })],
  [
    10,
    fc.record({
      kind: fc.constant('hand_in'),
      company,
      tasks: fc.array(task, { minLength: 1, maxLength: 12 }),
    }),
  ],
  [1, fc.record({ kind: fc.constant('hand_in_again'), message, changed: fc.boolean() })],
  [3, fc.record({ kind: fc.constant('discard'), message })],
  [8, fc.record({ kind: fc.constant('connect'), device, sims: fc.nat(3) })],
  [
    3,
    fc.record({ kind: fc.constant('leave'), device, how: fc.constantFrom('says so', 'is cut', 'late will') }),
  ],
  [12, fc.record({ kind: fc.constant('round') })],
  [4, fc.record({ kind: fc.constant('settle') })],
  [
    22,
    fc.record({
      kind: fc.constant('answer'),
      device,
      states: fc.array(state, { minLength: 1, maxLength: 4 }),
      code,
      block: fc.boolean(),
      parts: fc.nat(2),
    }),
  ],
  [
    14,
    fc.record({
      kind: fc.constant('report'),
      device,
      message,
      attempt: fc.constantFrom(1, 1, 2, 3, 4),
      state,
      code,
      block: fc.boolean(),
      parts: fc.nat(6),
      age_ms: fc.constantFrom(0, 0, 5_000, -60_000, 25 * HOUR),
    }),
  ],
  [
    3,
    fc.record({
      kind: fc.constant('reply'),
      device,
      recipient,
      text: fc.constantFrom('vale', 'vale', 'vale', 'STOP'),
    }),
  ],
  [
    5,
    fc.record({
      kind: fc.constant('late_word'),
      message,
      states: fc.array(state, { minLength: 1, maxLength: 2 }),
    }),
  ],
  [3, fc.record({ kind: fc.constant('mishap'), device, code })],
  [1, fc.record({ kind: fc.constant('block'), recipient })],
  [
    14,
    fc.record({
      kind: fc.constant('pass'),
      ms: fc.constantFrom(
        1,
        SECOND,
        5 * SECOND,
        10 * SECOND,
        31 * SECOND,
        MINUTE,
        10 * MINUTE,
        HOUR,
        13 * HOUR,
      ),
    }),
  ],
  [
    3,
    fc.record({
      kind: fc.constant('set'),
      company,
      spoof_time_secs: fc.constantFrom(0, 0, 0, 7, 600),
      send_enabled: fc.constantFrom(true, true, true, true, false),
    }),
  ],
  [
    2,
    fc.record({
      kind: fc.constant('limit'),
      device,
      max_sms_dayly: fc.constantFrom(100, 100, 100, 12, 3, 0),
    }),
  ],
  [3, fc.record({ kind: fc.constant('enable'), device, enabled: fc.constantFrom(true, true, true, false) })],
  [1, fc.record({ kind: fc.constant('unlink'), device })],
  [2, fc.record({ kind: fc.constant('route'), company, route: fc.constantFrom('any', 'wait', 'none') })],
  [3, fc.record({ kind: fc.constant('tag'), device, tagged: fc.boolean() })],
  [1, fc.record({ kind: fc.constant('restart') })],
]

/** Sequences of this many events. They begin with connected devices, or almost nothing would be handed over. */
export function eventsOf(least: number, most: number): fc.Arbitrary<Event[]> {
  const there: Event[] = [
    { kind: 'connect', device: 'a', sims: 1 },
    { kind: 'connect', device: 'b', sims: 3 },
    { kind: 'connect', device: 'stranger', sims: 2 },
  ]
  const event = fc.oneof(...chances.map(([weight, arbitrary]) => ({ weight, arbitrary })))
  return fc
    .array(event, { minLength: least, maxLength: most, size: 'max' })
    .map((events) => [...there, ...events])
}
