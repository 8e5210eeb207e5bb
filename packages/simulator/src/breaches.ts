/** Every breach of the device protocol that devices can detect, and the rule that it breaks. */
export const rules = {
  /** 0: the protocol itself, before its numbered rules. */
  malformed_command: 0,
  not_qos_1: 0,
  retained: 0,
  wrong_topic: 0,
  unexpected_ack: 0,
  wrong_sim: 0,
  content_changed: 1,
  on_air_twice: 1,
  given_to_two_devices: 1,
  retried_unknown_outcome: 2,
  before_status: 3,
  disabled: 3,
  too_many_unfinished: 3,
  too_close: 3,
  over_daily_limit: 3,
  resent_too_soon: 4,
  resent_after_report: 4,
  stray_puback: 5,
  retry_not_allowed: 6,
  retried_too_soon: 6,
  too_many_attempts: 6,
  after_expiry: 7,
} as const

export type BreachCode = keyof typeof rules

export type Breach = {
  rule: (typeof rules)[BreachCode]
  code: BreachCode
  uid: string
  guid?: string
  attempt?: number
  at: string
  detail: string
}

/** Settings of the server that only the caller knows. Absent settings are not checked. */
export type Expectations = {
  /** `enabled` of the device, and `send_enabled` of its company. */
  enabled: boolean
  spoof_time_secs: number
  max_sms_dayly: number
}

/** A breach found by a device's checks. The list adds rule and time. */
export type Finding = Omit<Breach, 'rule' | 'at'>

type BreachList = {
  add: (finding: Finding, at: number) => void
  list: () => Breach[]
  count: () => number
}

/** A server that breaks a rule usually breaks it for every message, so the first breaches are enough. */
const MOST_KEPT = 1_000

export function openBreachList(): BreachList {
  const kept: Breach[] = []
  let count = 0
  return {
    add(finding, at) {
      count++
      if (kept.length < MOST_KEPT) {
        kept.push({ rule: rules[finding.code], ...finding, at: new Date(at).toISOString() })
      }
    },
    list: () => [...kept],
    count: () => count,
  }
}
