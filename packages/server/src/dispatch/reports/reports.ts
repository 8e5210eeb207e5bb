import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { openBatching } from '@sdd/storage/batching.ts'
import type { Logger } from 'pino'
import type { SendingSwitches } from '#server/accounts/settings/settings.ts'
import { instant } from '#server/core/clock.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { openYielding } from '#server/core/loop.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import { openLogThrottle, type LogThrottle } from '#server/core/log-throttle.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { rememberSender } from '#server/dispatch/lanes/lanes.ts'
import { countFailure, clearFailures } from '#server/fleet/devices/quarantine.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { type Tally, moveAndTally, type MoveNeeds, openTally } from '#server/messages/messages/moving.ts'
import { settleReport } from '#server/messages/messages/state.ts'
import {
  type AttemptRow,
  attemptStore,
  messagesByGuids,
  type ReportedMessage,
} from '#server/messages/messages/store.ts'
import { type EarlyReplies, followUp, openEarlyReplies } from './follow-up.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  log: Logger
  wake(): void
  sending: Pick<SendingSwitches, 'isOff'>
  featureMetrics: Pick<FeatureMetrics, 'strangerReports' | 'messages' | 'retries' | 'quarantines'>
}

/** Reports per transaction. This limits how long it takes. */
const AT_ONCE = 200

/**
 * Applies a device's reports in one transaction, together with reports of other devices that arrive at the same moment.
 * Resolves once they are on disk. Each report counts once, in any order. A report about a message that was not given to
 * this device is dropped and counted.
 */
export function openReports(
  needs: Needs,
): (from: ConnectedDevice, reports: readonly Report[]) => Promise<void> {
  const apply = openBatching(needs.db, AT_ONCE, (tx, reports: readonly DeviceReport[]) =>
    applyReports(tx, needs, reports),
  )
  const throttled = openLogThrottle()
  return async (from, reports) => {
    const { outcomes, durable } = await apply(reports.map((report) => ({ from, report })))
    for (const [place, { stranger, state, retried, quarantined }] of outcomes.entries()) {
      if (state !== undefined) needs.featureMetrics.messages.inc({ state })
      if (retried) needs.featureMetrics.retries.inc()
      if (quarantined) needs.featureMetrics.quarantines.inc()
      if (stranger) sayStranger(needs, throttled('stranger'), from, reports[place]!)
    }
    announce(needs, from.company_id, outcomes)
    await durable
  }
}

function announce({ live, wake, sending }: Needs, company_id: number, outcomes: readonly Outcome[]): void {
  if (outcomes.some(({ changed }) => changed)) live.changed(company_id, 'logs')
  if (outcomes.some(({ task }) => task)) live.changed(company_id, 'tasks')
  if (outcomes.some(({ devices_changed }) => devices_changed)) live.changed(company_id, 'devices')
  // A free place in the window may let the next message go.
  if (outcomes.some(({ finished }) => finished)) {
    wake()
    // With sending off, Settings shows how many messages devices still have.
    if (sending.isOff(company_id)) live.changed(company_id, 'settings')
  }
}

/** The effect of one report. `state` is set if the message's state changed. */
type Outcome = {
  stranger?: true
  changed?: true
  finished?: boolean
  state?: MessageState | undefined
  /** The message is a task. */
  task?: boolean
  /** The message waits for another attempt. */
  retried?: boolean
  /** The device entered or left quarantine, or its failures were cleared; `quarantined` if it entered. */
  devices_changed?: boolean
  quarantined?: boolean
}

async function applyReports(tx: Tx, moving: MoveNeeds, reports: readonly DeviceReport[]): Promise<Outcome[]> {
  const reported = await readReported(tx, reports)
  const replies = openEarlyReplies(tx, reported.given)
  const now_ms = moving.clock.now()
  const work = { tx, now_ms, now: instant(now_ms), reported, replies, tally: openTally(moving) }
  const outcomes = []
  const yieldToEventLoop = openYielding()
  for (const report of reports) {
    outcomes.push(await applyReport(work, report))
    await yieldToEventLoop()
  }
  await work.tally.write(tx)
  crashPoint('reported')
  return outcomes
}

type Work = { tx: Tx; now_ms: number; now: string; reported: Reported; replies: EarlyReplies; tally: Tally }

async function applyReport(work: Work, deviceReport: DeviceReport): Promise<Outcome> {
  const { tx, now_ms, now, reported, replies, tally } = work
  const { from, report } = deviceReport
  const found = await reported.find(deviceReport)
  if (found === undefined) return { stranger: true }
  const { message, attempt } = found
  const reported_ms = Date.parse(report.at)
  const at = reported_ms < now_ms ? instant(reported_ms) : now
  const corrected = report.attempt === attempt.attempt ? report : { ...report, attempt: attempt.attempt }
  const settled = settleReport(message, attempt, corrected, at, now)
  if (Object.keys(settled.attempt).length === 0) return {}
  const ofAttempt = { ...settled.attempt, parts: attempt.parts - settled.give_back }
  await attemptStore(tx).update(attempt, ofAttempt)
  const change = await followUp(tx, { message, attempt, report, settled, now_ms })
  if (Object.keys(change).length > 0) await moveAndTally(tx, tally, message, change)
  if (settled.finished) tally.release(from.device_id)
  tally.returnParts(from.device_id, settled.give_back, attempt.day)
  const judged = settled.finished && (await judgeDevice(work, deviceReport, found))
  // Later reports in this work must see the changes.
  Object.assign(attempt, ofAttempt)
  Object.assign(message, change)
  const reply = await replies.replyTo(message, change, attempt, at)
  if (reply !== undefined) {
    await moveAndTally(tx, tally, message, reply)
    Object.assign(message, reply)
  }
  if (attempt.attempt !== message.attempt) reported.forget(message)
  const retried = change.step === 'waiting'
  return {
    changed: true,
    finished: settled.finished,
    state: retried ? undefined : change.state,
    task: message.task === 1,
    retried,
    ...judged,
  }
}

/** Updates the device after an attempt has ended: its failures, and the number that it has written to. */
async function judgeDevice(
  { tx, now_ms, now, reported }: Work,
  { from: { device_id, company_id }, report: { state, code, detail, block } }: DeviceReport,
  { message: { message_to }, attempt }: { message: ReportedMessage; attempt: AttemptRow },
): Promise<{ devices_changed: boolean; quarantined: boolean }> {
  if (state !== 'failed') {
    await rememberSender(tx, { company_id, device_id, message_to }, now)
    const devices_changed = reported.failuresOf(attempt) > 0
    if (devices_changed) await clearFailures(tx, device_id)
    reported.judged(device_id, 0)
    return { devices_changed, quarantined: false }
  }
  // A failure caused by the recipient, the caller or the clock says nothing about the device.
  if (block || code === 'cancelled' || code === 'expired')
    return { devices_changed: false, quarantined: false }
  const why = [code, detail].filter(Boolean).join(': ') || 'failed'
  const quarantined = await countFailure(tx, device_id, why, now_ms)
  reported.judged(device_id, reported.failuresOf(attempt) + 1)
  return { devices_changed: quarantined, quarantined }
}

function sayStranger(
  { featureMetrics, log }: Needs,
  { level, unsaid }: ReturnType<LogThrottle>,
  { uid }: ConnectedDevice,
  { guid, attempt, state }: Report,
): void {
  featureMetrics.strangerReports.inc()
  const details = { uid, guid, attempt, state, unsaid }
  log[level === 'info' ? 'warn' : 'debug'](
    details,
    'Dropped a report about a message not given to the device',
  )
}

/** A report and the device that sent it. */
type DeviceReport = { from: ConnectedDevice; report: Report }

/** The messages and attempts of many reports, read together and kept up to date while the reports are applied. */
type Reported = {
  /** All attempts of the reported messages. */
  given: readonly { company_id: number; device_id: number; given_at: string }[]
  /** The message and attempt of a report; `undefined` if the message was not given to the device. */
  find(report: DeviceReport): Promise<{ message: ReportedMessage; attempt: AttemptRow } | undefined>
  /** Makes the message's attempts be read again, since others of them were changed elsewhere. */
  forget(message: ReportedMessage): void
  /** How many messages in a row have failed on the device of this attempt. */
  failuresOf(attempt: AttemptRow): number
  /** Stores the device's new number of failures in a row. */
  judged(device_id: number, failures_in_row: number): void
}

async function readReported(tx: Tx, reports: readonly DeviceReport[]): Promise<Reported> {
  const keys = new Map(
    reports.map(({ from, report }) => [keyOf(from.company_id, report.guid), keysOf(from, report)]),
  )
  const rows = await messagesByGuids(tx, [...keys.values()])
  const messages = new Map(rows.map((row) => [keyOf(row.company_id, row.guid), row]))
  const attempts = await attemptsOf(tx, rows)
  const failures = new Map<number, number>()

  async function readAgain(message: ReportedMessage): Promise<AttemptRow[]> {
    const known = (await attemptsOf(tx, [message])).get(message.id) ?? []
    attempts.set(message.id, known)
    return known
  }

  return {
    given: rows.flatMap(({ id, company_id }) =>
      (attempts.get(id) ?? []).map(({ device_id, given_at }) => ({ company_id, device_id, given_at })),
    ),
    async find({ from, report }) {
      const message = messages.get(keyOf(from.company_id, report.guid))
      if (message === undefined) return undefined
      const attempt = attemptMeant(attempts.get(message.id) ?? (await readAgain(message)), from, report)
      return attempt?.device_id === from.device_id ? { message, attempt } : undefined
    },
    forget: ({ id }) => void attempts.delete(id),
    failuresOf: ({ device_id, failures_in_row }) => failures.get(device_id) ?? failures_in_row,
    judged: (device_id, failures_in_row) => void failures.set(device_id, failures_in_row),
  }
}

/**
 * The attempt that a report is about. A `cancel` names no attempt, and a device answers it even if it never got the
 * `send`. Then the report is about the attempt that the device was told to drop.
 */
function attemptMeant(
  attempts: readonly AttemptRow[],
  { device_id }: ConnectedDevice,
  report: Report,
): AttemptRow | undefined {
  const cancelled =
    report.code === 'cancelled' &&
    attempts.find(
      (found) => found.device_id === device_id && found.cancel_at !== null && found.finished_at === null,
    )
  return cancelled || attempts.find(({ attempt }) => attempt === report.attempt)
}

async function attemptsOf(tx: Tx, messages: readonly ReportedMessage[]): Promise<Map<number, AttemptRow[]>> {
  if (messages.length === 0) return new Map()
  const rows = await attemptStore(tx).ofMessages(messages.map(({ id }) => id))
  return Map.groupBy(rows, ({ message_id }) => message_id)
}

function keysOf({ company_id }: ConnectedDevice, { guid }: Report): readonly [number, string] {
  return [company_id, guid]
}

function keyOf(company_id: number, guid: string): string {
  return `${company_id} ${guid}`
}
