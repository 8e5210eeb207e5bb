import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { openBatching } from '@sdd/storage/batching.ts'
import type { Logger } from 'pino'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { instant } from '#server/core/clock.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { openYielding } from '#server/core/loop.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import { openThrottledLog, type ThrottledLog } from '@sdd/mqtt/log.ts'
import type { Database } from '#server/database/open.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import { rememberSender } from '#server/dispatch/lanes/last-device.ts'
import { countFailure, clearFailures } from '#server/fleet/devices/quarantine.ts'
import { clearCreditGone, NO_CREDIT, noteCreditGone } from '#server/fleet/sims/credit.ts'
import { type CountedSim, giveBackUse, moveUse } from '#server/fleet/sims/counting.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { type Tally, moveAndTally, type MoveNeeds, openTally } from '#server/messages/messages/moving.ts'
import { placeAfter } from '#server/messages/messages/placing.ts'
import { type Attempt, latestAttempt, type Message } from '#server/messages/messages/rows.ts'
import { type Settled, settleReport } from '#server/messages/messages/state.ts'
import { messagesByGuids, type ReportedMessage } from '#server/messages/messages/reported.store.ts'
import { attemptStore } from '#server/messages/messages/store.ts'
import { type GuidKey, nameOf, type KeptMessages } from '#server/messages/messages/kept-messages.ts'
import { type EarlyReplies, followUp, openEarlyReplies } from './follow-up.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  log: Logger
  numbers: Pick<Numbers, 'kept' | 'isSendingOff'>
  /** Gives messages soon, to this device among others. */
  giveTo(devices: readonly { id: number; company_id: number }[]): void
  keptMessages: KeptMessages
  featureMetrics: Pick<FeatureMetrics, 'strangerReports' | 'messages' | 'retries' | 'quarantines'>
}

/** A message that was sent waits this long for its delivery report. A later one still counts. */
export const DELIVERY_MS = 120_000

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
  const throttled = openThrottledLog()
  return async (from, reports) => {
    const { outcomes, durable } = await apply(reports.map((report) => ({ from, report })))
    for (const [index, { stranger, state, retried, quarantined }] of outcomes.entries()) {
      if (state !== undefined) needs.featureMetrics.messages.inc({ state })
      if (retried) needs.featureMetrics.retries.inc()
      if (quarantined) needs.featureMetrics.quarantines.inc()
      if (stranger) sayStranger(needs, throttled('stranger'), from, reports[index]!)
    }
    announce(needs, from, outcomes)
    await durable
  }
}

function announce(
  { live, giveTo, numbers }: Needs,
  { device_id, company_id }: ConnectedDevice,
  outcomes: readonly Outcome[],
): void {
  if (outcomes.some(({ changed }) => changed)) live.changed(company_id, 'logs')
  if (outcomes.some(({ task }) => task)) live.changed(company_id, 'tasks')
  if (outcomes.some(({ devices_changed }) => devices_changed)) live.changed(company_id, 'devices')
  // A free place in the window may let the next message go.
  if (outcomes.some(({ finished }) => finished)) {
    giveTo([{ id: device_id, company_id }])
    // With sending off, Settings shows how many messages devices still have.
    if (numbers.isSendingOff(company_id)) live.changed(company_id, 'settings')
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

async function applyReports(
  tx: Tx,
  needs: Pick<Needs, 'numbers' | 'keptMessages' | keyof MoveNeeds>,
  reports: readonly DeviceReport[],
): Promise<Outcome[]> {
  const reported = await readReported(tx, needs, reports)
  const sent = reports.some(({ report }) => report.state === 'sent' || report.state === 'delivered')
  const replies = openEarlyReplies(tx, reported.given, sent)
  const now_ms = needs.clock.now()
  const { numbers } = needs
  const work = { tx, now_ms, now: instant(now_ms), reported, replies, tally: openTally(needs), numbers }
  const outcomes = []
  const yieldToEventLoop = openYielding()
  for (const report of reports) {
    outcomes.push(await applyReport(work, report))
    if (outcomes.length % 10 === 0) await yieldToEventLoop()
  }
  await work.tally.write(tx)
  crashPoint('reported')
  return outcomes
}

type Work = {
  tx: Tx
  now_ms: number
  now: string
  reported: Reported
  replies: EarlyReplies
  tally: Tally
  numbers: Pick<Numbers, 'kept'>
}

async function applyReport(work: Work, deviceReport: DeviceReport): Promise<Outcome> {
  const { tx, now_ms, now, reported, replies, tally } = work
  const { from, report } = deviceReport
  const found = reported.find(deviceReport)
  if (found === undefined) return { stranger: true }
  const { message, attempt, latest } = found
  const reported_ms = Date.parse(report.at)
  const at = reported_ms < now_ms ? instant(reported_ms) : now
  const corrected = report.attempt === attempt.attempt ? report : { ...report, attempt: attempt.attempt }
  const settled = settleReport(message, attempt, corrected, at, now)
  if (Object.keys(settled.attempt).length === 0) return {}
  const counting = countOnSims(work, deviceReport, found, settled)
  const moved_to = counting && (await counting)
  if (moved_to?.credit_gone_at) reported.without_credit.add(moved_to.id)
  const sim_id = moved_to?.id
  const ofAttempt = {
    ...settled.attempt,
    parts: attempt.parts - settled.give_back,
    ...(sim_id !== undefined && { sim_id }),
  }
  if (attempt.own_row) await attemptStore(tx).update(attempt, ofAttempt, attempt)
  const following = followUp(tx, { message, attempt, latest, report, settled, now_ms })
  const change = following instanceof Promise ? await following : following
  // Later reports in this work must see the changes.
  Object.assign(attempt, ofAttempt)
  if (!attempt.own_row) inMessage(change, ofAttempt, settled, attempt)
  if (change.state === 'sent') waitForDelivery(message, change, now_ms)
  if (Object.keys(change).length > 0) await moveAndTally(tx, tally, message, change, latest)
  if (settled.finished) tally.release(from.device_id)
  tally.returnParts(from.device_id, settled.give_back, attempt.day)
  const judged = settled.finished && (await judgeDevice(work, deviceReport, found))
  if (settled.finished && report.code === NO_CREDIT && attempt.sim_id !== null) {
    await noteCreditGone(tx, attempt.sim_id, now)
    reported.without_credit.add(attempt.sim_id)
  }
  reported.moved(message, change)
  const reply = await replies.replyTo(message, change, attempt, at)
  if (reply !== undefined) {
    await moveAndTally(tx, tally, message, reply)
    reported.moved(message, reply)
  }
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

/** Adds the changes of the latest attempt to those of its message, which share a row. */
function inMessage(
  change: Change<Message>,
  { state, code, detail, sim, sim_id, cancel_at }: Change<Attempt>,
  { give_back }: Settled,
  { parts }: Attempt,
): void {
  if (change.step === 'waiting') return // the attempt gets a row of its own
  if (state !== undefined) change.attempt_state = state
  if (code !== undefined) change.code = code
  if (detail !== undefined) change.detail = detail
  if (sim !== undefined) change.sim = sim
  if (sim_id !== undefined) change.sim_id = sim_id
  if (cancel_at !== undefined) change.cancel_at = cancel_at
  if (give_back !== 0) change.attempt_parts = parts
}

/** Counts the attempt on the SIM that its device names. Returns that SIM, if it counted on another one before. */
function countOnSims(
  { tx, reported, tally, numbers }: Work,
  { report: { sim } }: DeviceReport,
  { message, attempt }: Found,
  { give_back }: Settled,
): Promise<CountedSim | undefined> | undefined {
  const { sim_id, device_id, given_at, parts } = attempt
  const use = { sim_id, device_id, given_at, parts, number: message.message_to }
  // A single SIM needs no name.
  const isNamed =
    sim !== undefined && sim !== null && String(sim) !== attempt.sim && reported.simsOf(device_id) > 1
  if (isNamed) return moveUse(tx, { clock: tally.clock, numbers }, use, { give_back, to: sim })
  if (give_back !== 0 && sim_id !== null) return giveBackUse(tx, use, give_back)
  return undefined
}

/** The server looks at a sent message no later than when it stops waiting for the delivery report. */
function waitForDelivery({ look_at }: ReportedMessage, change: Change<Message>, now_ms: number): void {
  const until = instant(now_ms + DELIVERY_MS)
  if (look_at !== null && look_at > until) change.look_at = until
}

/** Updates the device after an attempt has ended: its failures, and the number that it has written to. */
async function judgeDevice(
  { tx, now_ms, now, reported }: Work,
  { from: { device_id, company_id }, report: { state, code, detail, block } }: DeviceReport,
  { message: { message_to }, attempt: { sim_id } }: Found,
): Promise<{ devices_changed: boolean; quarantined: boolean }> {
  if (state !== 'failed') {
    await rememberSender(tx, { company_id, device_id, message_to }, now)
    const devices_changed = reported.failuresOf(device_id) > 0
    if (devices_changed) await clearFailures(tx, device_id)
    if (sim_id !== null && reported.without_credit.delete(sim_id)) await clearCreditGone(tx, sim_id)
    reported.judged(device_id, 0)
    return { devices_changed, quarantined: false }
  }
  // A failure caused by the recipient, the caller or the clock says nothing about the device.
  if (block || code === 'cancelled' || code === 'expired')
    return { devices_changed: false, quarantined: false }
  const why = [code, detail].filter(Boolean).join(': ') || 'failed'
  const quarantined = await countFailure(tx, device_id, why, now_ms)
  reported.judged(device_id, reported.failuresOf(device_id) + 1)
  return { devices_changed: quarantined, quarantined }
}

function sayStranger(
  { featureMetrics, log }: Needs,
  { level, unsaid }: ReturnType<ThrottledLog>,
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
  find(report: DeviceReport): Found | undefined
  /** Notes a change of the message. */
  moved(message: ReportedMessage, change: Change<Message>): void
  /** How many messages in a row have failed on the device. */
  failuresOf(device_id: number): number
  /** How many SIMs the device has. */
  simsOf(device_id: number): number
  /** The SIMs that have no credit. */
  without_credit: Set<number>
  /** Stores the device's new number of failures in a row. */
  judged(device_id: number, failures_in_row: number): void
}

/** `latest` is the message's latest attempt, if that is a part of its row. */
type Found = { message: ReportedMessage; attempt: Attempt; latest: Attempt | undefined }

async function readReported(
  tx: Tx,
  { clock: { day }, keptMessages }: Pick<Needs, 'clock' | 'keptMessages'>,
  reports: readonly DeviceReport[],
): Promise<Reported> {
  const keys = new Map(reports.map((report) => [nameOf(keyOf(report)), keyOf(report)]))
  const failures = new Map<number, number>()
  const sims = new Map<number, number>()
  const without_credit = new Set<number>()
  const messages = new Map<string, { message: ReportedMessage; attempts: Attempt[] }>()
  const rows = await messagesByGuids(tx, [...keys.values()], keptMessages)
  const others = await ownRows(tx, rows)
  for (const row of rows) {
    const latest = latestAttempt(row, (time) => day(Date.parse(time)))
    const own = others.get(row.id) ?? []
    if (latest) {
      failures.set(latest.device_id, row.failures_in_row!)
      sims.set(latest.device_id, row.sim_count!)
      if (row.credit_gone_at !== null) without_credit.add(latest.sim_id!)
    }
    for (const { device_id, failures_in_row, sim_count, sim_id, credit_gone_at } of own) {
      if (credit_gone_at !== null) without_credit.add(sim_id!)
      failures.set(device_id, failures_in_row)
      sims.set(device_id, sim_count)
    }
    messages.set(nameOf([row.company_id, row.guid]), {
      message: row,
      attempts: latest ? [...own, latest] : own,
    })
  }

  return {
    given: [...messages.values()].flatMap(({ message: { company_id }, attempts }) =>
      attempts.map(({ device_id, given_at }) => ({ company_id, device_id, given_at })),
    ),
    find(deviceReport) {
      const { from, report } = deviceReport
      const known = messages.get(nameOf(keyOf(deviceReport)))
      if (known === undefined) return undefined
      const attempt = attemptMeant(known.attempts, from, report)
      if (attempt?.device_id !== from.device_id) return undefined
      return { message: known.message, attempt, latest: known.attempts.find(({ own_row }) => !own_row) }
    },
    moved(message, change) {
      Object.assign(message, change, { place: placeAfter(message, change) })
      const key: GuidKey = [message.company_id, message.guid]
      if (message.place === 'outcomes') keptMessages.drop(key)
      if (message.attempt_state !== null) return
      for (const attempt of messages.get(nameOf(key))!.attempts) attempt.own_row = true
    },
    failuresOf: (device_id) => failures.get(device_id) ?? 0,
    simsOf: (device_id) => sims.get(device_id) ?? 0,
    without_credit,
    judged: (device_id, failures_in_row) => void failures.set(device_id, failures_in_row),
  }
}

/** The attempts with rows of their own. Most messages have none. */
async function ownRows(tx: Tx, messages: readonly ReportedMessage[]) {
  const several = messages.filter(({ attempt, attempt_state }) => attempt > 1 || attempt_state === null)
  if (several.length === 0) return new Map<number, never[]>()
  const rows = await attemptStore(tx).ofMessages(several.map(({ id }) => id))
  return Map.groupBy(rows, ({ message_id }) => message_id)
}

/**
 * The attempt that a report is about. A `cancel` names no attempt, and a device answers it even if it never got the
 * `send`. Then the report is about the attempt that the device was told to drop.
 */
function attemptMeant(
  attempts: readonly Attempt[],
  { device_id }: ConnectedDevice,
  report: Report,
): Attempt | undefined {
  const cancelled =
    report.code === 'cancelled' &&
    attempts.find(
      (found) => found.device_id === device_id && found.cancel_at !== null && found.finished_at === null,
    )
  return cancelled || attempts.find(({ attempt }) => attempt === report.attempt)
}

function keyOf({ from, report }: DeviceReport): GuidKey {
  return [from.company_id, report.guid]
}
