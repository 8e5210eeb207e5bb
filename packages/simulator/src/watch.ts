import { UNKNOWN_OUTCOME, type Report, type SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { measureText } from '@sdd/sms/segments.ts'
import type { Publish } from '@sdd/mqtt/codec/publish.ts'
import type { Expectations, Finding } from '#simulator/breaches.ts'
import { contentOf, type Entry } from '#simulator/ledger-index.ts'
import type { Ledger } from '#simulator/ledger.ts'

/** The checks of one device. It reports each breach at once. */
export type DeviceWatch = {
  /** The device published its status on a new connection. */
  connected: () => void
  /** The server has acknowledged that status, so the repetitions of a reconnect are on their way. */
  greeted: () => void
  disconnected: () => void
  /** The device reads nothing for `ms`, so the send times of the following commands are unknown. */
  stalled: (ms: number) => void
  /** Checks any PUBLISH, before its payload is read. */
  packet: (packet: Pick<Publish, 'topic' | 'qos' | 'retain'>, commands_topic: string) => void
  malformed: (detail: string) => void
  /** Checks a send command, before it is in the ledger; `known` if the ledger has that guid and attempt already. */
  send: (command: SendCommand, known: Entry | undefined) => void
  /** An `ack` command although the PUBACK is the acknowledgement. */
  unexpectedAck: () => void
  /** Reports when they are published, and once they are acknowledged. */
  reported: (reports: readonly Report[]) => void
  acknowledged: (reports: readonly Report[]) => void
  onAir: (guid: string) => void
  strayPuback: (message_id: number) => void
}

/** A command that was handed to this device. */
export type Handed = {
  readonly guid: string
  readonly attempt: number
  readonly parts: number
  /** The day on which it counts; 0 if the server may have counted it on another day. */
  readonly day: number
  unfinished: boolean
  received_at: number
  connection: number
  acknowledged_at: number | undefined
}

type WatchNeeds = {
  uid: string
  numbers: readonly string[]
  ledger: Pick<Ledger, 'attempts' | 'outbox'>
  now: () => number
  /** The commands of earlier runs; `restarted` if there was any earlier run. */
  handed: readonly Handed[]
  restarted: boolean
  expected: () => Partial<Expectations>
  breach: (finding: Omit<Finding, 'uid'>) => void
}

const MOST_UNFINISHED = 10
const MOST_ATTEMPTS = 3
const RETRIABLE = ['no_network', 'modem_error', 'timeout']
/** Minimum delay before the second and the third attempt. */
const RETRY_AFTER_MS = [10_000, 60_000]
const RESEND_AFTER_MS = 30_000
/** Tolerance for clock differences and network delays. */
const SLACK_MS = 1_000
/** After a reconnect, the commands lost with the last connection are repeated all at once. */
const CATCHING_UP_MS = 5_000
/** A finished command is dropped after this long; then only the ledger recognises a repetition. */
const REMEMBER_MS = 60_000

/** Midnight of the day in the process's time zone (`TZ`): the key for the daily limit. */
export function dayOf(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

/** Whether parts may have gone on air: otherwise the server returns them to the daily limit. */
export function tookAir({ state, code, parts }: Report): boolean {
  return state !== 'failed' || code === UNKNOWN_OUTCOME || Boolean(parts)
}

export function openWatch({
  uid,
  numbers,
  ledger,
  now,
  handed,
  restarted,
  expected,
  breach,
}: WatchNeeds): DeviceWatch {
  const given = new Map(handed.map((command) => [keyOf(command), command]))
  let today = dayOf(now())
  let used = sum(handed.filter(({ day }) => day === today).map(({ parts }) => parts))
  let unfinished = handed.filter((command) => command.unfinished).length
  let connection = restarted ? 1 : 0
  let ready = false
  let catching_up_until = 0
  let last_at = Number.NEGATIVE_INFINITY
  let count = 0

  function send(command: SendCommand, known: Entry | undefined): void {
    const { guid, attempt } = command
    const found = (code: Finding['code'], detail: string) => breach({ code, guid, attempt, detail })
    if (!ready) found('before_status', 'handed over before status was said')
    if (command.from && !numbers.some((number) => number.slice(-9) === command.from!.slice(-9))) {
      found('wrong_sim', `no SIM of ${command.from} here`)
    }
    if (known) return checkRepeat(command, known, found)
    const catching_up = now() < catching_up_until
    for (const earlier of ledger.attempts(guid)) checkEarlier(command, earlier, found)
    if (attempt > MOST_ATTEMPTS) found('too_many_attempts', `attempt ${attempt} of ${MOST_ATTEMPTS}`)
    if (!catching_up) checkMoment(command, found)
    remember(command, catching_up, found)
  }

  type Found = (code: Finding['code'], detail: string) => void

  /** Rules 1 and 4: the same command again. */
  function checkRepeat(command: SendCommand, known: Entry, found: Found): void {
    if (contentOf(command) !== known.content)
      found('content_changed', 'the same guid and attempt with other content')
    const before = given.get(keyOf(command))
    const committed =
      before?.acknowledged_at === undefined
        ? !ledger
            .outbox(uid)
            .some(({ report }) => report?.state === 'accepted' && keyOf(report) === keyOf(command))
        : now() - before.acknowledged_at > SLACK_MS
    if (committed) found('resent_after_report', 'a report about it was acknowledged already')
    if (!before) return
    const early = RESEND_AFTER_MS - SLACK_MS - (now() - before.received_at)
    if (!committed && early > 0 && before.connection === connection && now() >= catching_up_until) {
      found('resent_too_soon', `sent again after ${now() - before.received_at} ms on the same connection`)
    }
    before.received_at = now()
    before.connection = connection
  }

  /** Rules 1, 2 and 6: earlier attempts at the same message, here or on another device. */
  function checkEarlier({ attempt, ...command }: SendCommand, earlier: Entry, found: Found): void {
    const { report } = earlier
    if (contentOf({ attempt, ...command }) !== earlier.content) {
      found('content_changed', `attempt ${earlier.attempt} had other content`)
    }
    if (earlier.attempt === attempt) found('given_to_two_devices', `${earlier.uid} has this attempt too`)
    if (report.code === UNKNOWN_OUTCOME) found('retried_unknown_outcome', `after attempt ${earlier.attempt}`)
    else if (earlier.attempt < attempt && !mayRetry(report)) {
      found('retry_not_allowed', `attempt ${earlier.attempt} is ${report.state} ${report.code ?? ''}`)
    }
    const early = (RETRY_AFTER_MS[attempt - 2] ?? 0) - SLACK_MS - (now() - Date.parse(report.at))
    if (earlier.attempt === attempt - 1 && mayRetry(report) && early > 0) {
      found('retried_too_soon', `${early} ms too soon after the failure of attempt ${earlier.attempt}`)
    }
  }

  /** Rules 3 and 7, for a command that is certainly handed over just now. */
  function checkMoment({ expires_at }: SendCommand, found: Found): void {
    const { enabled, spoof_time_secs = 0 } = expected()
    if (enabled === false) found('disabled', 'handed over while the device may not send')
    const spoof_ms = spoof_time_secs * 1_000
    const gap = now() - last_at
    last_at = now()
    if (gap < spoof_ms - Math.min(SLACK_MS, spoof_ms / 2)) {
      found('too_close', `${gap} ms after the last one, not ${spoof_ms}`)
    }
    if (expires_at && Date.parse(expires_at) < now() - SLACK_MS)
      found('after_expiry', `it expired at ${expires_at}`)
  }

  /** Rule 3: counts the command for the limit of ten and the daily limit. */
  function remember({ guid, attempt, text }: SendCommand, catching_up: boolean, found: Found): void {
    const at = now()
    if (dayOf(at) !== today) {
      today = dayOf(at)
      used = 0
    }
    // Just after midnight it may be a command of yesterday, and so may a repetition after a reconnect.
    const day = catching_up || at - today < SLACK_MS ? 0 : today
    const parts = measureText(text).segments
    if (day) used += parts
    const { max_sms_dayly = Number.POSITIVE_INFINITY } = expected()
    if (used > max_sms_dayly) found('over_daily_limit', `${used} parts today, of ${max_sms_dayly}`)
    given.set(keyOf({ guid, attempt }), {
      guid,
      attempt,
      parts,
      day,
      unfinished: true,
      received_at: at,
      connection,
      acknowledged_at: undefined,
    })
    if (++unfinished > MOST_UNFINISHED) found('too_many_unfinished', `${unfinished} unfinished`)
    if (++count % 64 === 0) forget(at)
  }

  function forget(at: number): void {
    for (const [key, { unfinished, acknowledged_at }] of given) {
      if (!unfinished && acknowledged_at !== undefined && at - acknowledged_at > REMEMBER_MS)
        given.delete(key)
    }
  }

  return {
    connected() {
      if (connection++ > 0) catching_up_until = Number.POSITIVE_INFINITY
      ready = true
    },
    greeted() {
      if (catching_up_until === Number.POSITIVE_INFINITY) catching_up_until = now() + CATCHING_UP_MS
    },
    disconnected() {
      ready = false
    },
    stalled(ms) {
      catching_up_until = now() + ms + CATCHING_UP_MS
    },
    packet({ topic, qos, retain }, commands_topic) {
      if (topic !== commands_topic) breach({ code: 'wrong_topic', detail: topic })
      if (qos !== 1) breach({ code: 'not_qos_1', detail: `QoS ${qos}` })
      if (retain) breach({ code: 'retained', detail: 'a command was retained' })
    },
    malformed: (detail) => breach({ code: 'malformed_command', detail }),
    send,
    unexpectedAck: () => breach({ code: 'unexpected_ack', detail: 'PUBACK is the acknowledgement here' }),
    /** The server may know the report from now on, so a message with an outcome no longer counts as unfinished. */
    reported(reports) {
      for (const report of reports) {
        const command = given.get(keyOf(report))
        if (!command?.unfinished || report.state === 'accepted') continue
        command.unfinished = false
        unfinished--
        if (!tookAir(report) && command.day === today) used -= command.parts
      }
    },
    acknowledged(reports) {
      for (const report of reports) {
        const command = given.get(keyOf(report))
        if (command) command.acknowledged_at ??= now()
      }
    },
    onAir(guid) {
      const times = sum(ledger.attempts(guid).map(({ on_air }) => on_air))
      if (times > 1) breach({ code: 'on_air_twice', guid, detail: `${times} times on air` })
    },
    strayPuback: (message_id) =>
      breach({ code: 'stray_puback', detail: `PUBACK of ${message_id}, which does not wait for one` }),
  }
}

function mayRetry({ state, code, block, parts }: Report): boolean {
  return state === 'failed' && !block && !parts && RETRIABLE.includes(code ?? '')
}

function keyOf({ guid, attempt }: { guid: string; attempt: number }): string {
  return `${guid} ${attempt}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
