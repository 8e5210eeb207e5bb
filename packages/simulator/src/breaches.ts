/** Every breach of the device protocol that can be seen from the devices' side, and the rule it breaks. */
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

/** What the caller has set on the server; only it can know. Absent: not checked. */
export type Expectations = {
  /** Of the device, and `send_enabled` of its company. */
  enabled: boolean
  spoof_time_secs: number
  max_sms_dayly: number
}

/** What a device's checks say it breaches; when and where is added by the list. */
export type Finding = Omit<Breach, 'rule' | 'at'>

export type BreachList = {
  add: (finding: Finding, at: number) => void
  list: () => Breach[]
  count: () => number
}

/** A server that breaks a rule breaks it for every message: the first are enough to read. */
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
