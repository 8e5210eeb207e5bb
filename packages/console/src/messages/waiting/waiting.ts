import type { Waiting, WaitingReason } from '@sdd/contract/dispatch/waiting.ts'

/** The fields of a message or task that say why it waits. A server may leave them out. */
export type WaitingFields = {
  waiting_for?: string | null | undefined
  waiting_code?: Waiting['code'] | null | undefined
  waiting_params?: Readonly<Record<string, string | number | null>> | null | undefined
}

/** The facts of one code. */
export type WaitingFacts<Code extends Waiting['code']> = Extract<Waiting, { code: Code }>['params']

/** Makes the sentence of each code. */
export type WaitingSentences = {
  readonly [Code in Waiting['code']]: (facts: WaitingFacts<Code>) => string
}

const reasons: Partial<Record<Waiting['code'], WaitingReason>> = {
  sending_off: 'sending_off',
  sending_hours: 'later',
  not_before: 'later',
  no_device: 'no_device',
  no_sim: 'no_device',
  route: 'no_device',
  maintenance: 'maintenance',
  plan_used: 'plan_used',
  no_room: 'daily_limit',
  over_limits: 'daily_limit',
  window_full: 'window_full',
  pacing: 'pacing',
  next: 'next',
  device_offline: 'device_offline',
  device_disabled: 'device_disabled',
  device_limit: 'daily_limit',
  over_device_limit: 'daily_limit',
  device_window: 'window_full',
  device_pacing: 'pacing',
  device_next: 'next',
}

/** The obstacles that `none_can` counts. */
const obstacles = {
  offline: 'device_offline',
  disabled: 'device_disabled',
  at_limit: 'daily_limit',
  quarantined: 'quarantined',
  plan_used: 'plan_used',
  maintenance: 'maintenance',
} as const

/** Why a message waits, for a list; undefined if only the sentence says it. */
export function waitingReason({ waiting_code, waiting_params }: WaitingFields): WaitingReason | undefined {
  if (!waiting_code) return undefined
  if (waiting_code !== 'none_can') return reasons[waiting_code]
  const all = Object.entries(obstacles).find(([name]) => waiting_params?.[name] === waiting_params?.devices)
  return all?.[1]
}
