import type { Report } from '@sdd/contract/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { pass } from '#server/core/points.ts'
import type { From } from '#server/core/topics.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { distrust, trust } from '#server/devices/quarantine.ts'
import { giveBack, release } from '#server/devices/queue.ts'
import type { Figures } from '#server/figures.ts'
import type { Live } from '#server/live/live.ts'
import type { Sending } from '#server/settings/sending.ts'
import { rememberSender } from '#server/tasks/recipients.ts'
import { attemptStore } from './attempts/store.ts'
import { moveMessage } from './moving.ts'
import { afterwards } from './retrying.ts'
import { settle } from './state.ts'
import { type MessageRow, messageStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  log: Logger
  wake(): void
  sending: Pick<Sending, 'isOff'>
  figures: Pick<Figures, 'strangerReports' | 'messages' | 'retries' | 'quarantines'>
}

/**
 * Applies a device's reports, all in one transaction, and resolves once they are on disk. Each counts once, in any
 * order; one about a message that was not given to this device is dropped and counted.
 */
export async function takeReports(needs: Needs, from: From, reports: readonly Report[]): Promise<void> {
  const now_ms = needs.clock.now()
  const outcomes = await needs.db.write(async (tx) => {
    const outcomes = []
    for (const report of reports) outcomes.push(await takeReport(tx, needs.clock, from, report, now_ms))
    pass('reported')
    return outcomes
  })
  for (const [place, { stranger, state, retried, quarantined }] of outcomes.entries()) {
    if (state !== undefined) needs.figures.messages.inc({ state })
    if (retried) needs.figures.retries.inc()
    if (quarantined) needs.figures.quarantines.inc()
    if (stranger) sayStranger(needs, from, reports[place]!)
  }
  announce(needs, from.company_id, outcomes)
}

function announce({ live, wake, sending }: Needs, company_id: number, outcomes: readonly Outcome[]): void {
  if (outcomes.some(({ changed }) => changed)) live.changed(company_id, 'logs')
  if (outcomes.some(({ task }) => task)) live.changed(company_id, 'tasks')
  if (outcomes.some(({ standing }) => standing)) live.changed(company_id, 'devices')
  // Room in the window may let the next message go.
  if (outcomes.some(({ finished }) => finished)) {
    wake()
    // With sending off, Settings shows how many messages devices still hold.
    if (sending.isOff(company_id)) live.changed(company_id, 'settings')
  }
}

/** What came of one report; `state` where the message has come to another. */
type Outcome = {
  stranger?: true
  changed?: true
  finished?: boolean
  state?: MessageState | undefined
  /** Of a task. */
  task?: boolean
  /** The message waits for another attempt. */
  retried?: boolean
  /** Whether the device is trusted with tasks has changed; `quarantined` where it is not for a while. */
  standing?: boolean
  quarantined?: boolean
}

async function takeReport(
  tx: Tx,
  clock: Clock,
  from: From,
  report: Report,
  now_ms: number,
): Promise<Outcome> {
  const message = await messageStore(tx, { company_id: from.company_id }).byGuid(report.guid)
  const attempt = message && (await attemptOf(tx, message, from, report))
  if (message === undefined || attempt?.device_id !== from.device_id) return { stranger: true }
  const now = instant(now_ms)
  const at = instant(Math.min(Date.parse(report.at), now_ms))
  const settled = settle(message, attempt, { ...report, attempt: attempt.attempt }, at, now)
  if (Object.keys(settled.attempt).length === 0) return {}
  await attemptStore(tx).update(attempt.id, { ...settled.attempt, parts: attempt.parts - settled.give_back })
  const change = await afterwards(tx, { message, attempt, report, settled, now_ms })
  if (Object.keys(change).length > 0) await moveMessage(tx, clock, message, change)
  if (settled.finished) await release(tx, from.device_id, settled.give_back, attempt.day)
  else await giveBack(tx, from.device_id, settled.give_back, attempt.day)
  const retried = change.step === 'waiting'
  return {
    changed: true,
    finished: settled.finished,
    state: retried ? undefined : change.state,
    task: message.task === 1,
    retried,
    ...(settled.finished && (await judgeDevice(tx, from, { message, attempt, report, now_ms }))),
  }
}

type Ended = { message: MessageRow; attempt: { failures_in_row: number }; report: Report; now_ms: number }

/** What the end of an attempt says of its device: whether it can be trusted, and who has heard from it. */
async function judgeDevice(
  tx: Tx,
  { device_id, company_id }: From,
  { message, attempt, report: { state, code, detail, block }, now_ms }: Ended,
): Promise<{ standing: boolean; quarantined: boolean }> {
  if (state !== 'failed') {
    const { message_to } = message
    await rememberSender(tx, { company_id, device_id, message_to }, instant(now_ms))
    const standing = attempt.failures_in_row > 0
    if (standing) await trust(tx, device_id)
    return { standing, quarantined: false }
  }
  // What the recipient, the caller or the clock is to blame for says nothing of the device.
  if (block || code === 'cancelled' || code === 'expired') return { standing: false, quarantined: false }
  const quarantined = await distrust(
    tx,
    device_id,
    [code, detail].filter(Boolean).join(': ') || 'failed',
    now_ms,
  )
  return { standing: quarantined, quarantined }
}

/**
 * The attempt that a report is about. A `cancel` names none, and a device that never got the command answers it all the
 * same: what it was told to drop is then meant.
 */
async function attemptOf(tx: Tx, message: MessageRow, { device_id }: From, report: Report) {
  const attempts = attemptStore(tx)
  const told = report.code === 'cancelled' ? await attempts.cancelledOn(message.id, device_id) : undefined
  return told ?? attempts.byNumber(message.id, report.attempt)
}

function sayStranger({ figures, log }: Needs, { uid }: From, { guid, attempt, state }: Report): void {
  figures.strangerReports.inc()
  log.warn({ uid, guid, attempt, state }, 'Dropped a report about a message not given to the device')
}
