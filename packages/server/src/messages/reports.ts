import type { InboxSms, Report } from '@sdd/contract/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import type { From } from '#server/core/topics.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { giveBack, queueFor, release } from '#server/devices/queue.ts'
import type { Figures } from '#server/figures.ts'
import type { Live } from '#server/live/live.ts'
import { announceBlock, blockSender } from '#server/opt-outs/blocking.ts'
import type { Sending } from '#server/settings/sending.ts'
import { attemptStore } from './attempts/store.ts'
import { moveMessage } from './moving.ts'
import { mayBecome, settle } from './state.ts'
import { inboxStore, type MessageRow, messageStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  log: Logger
  wake(): void
  sending: Pick<Sending, 'isOff'>
  figures: Pick<Figures, 'strangerReports' | 'messages'>
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
    return outcomes
  })
  for (const [place, { stranger, state }] of outcomes.entries()) {
    if (state !== undefined) needs.figures.messages.inc({ state })
    if (stranger) sayStranger(needs, from, reports[place]!)
  }
  if (outcomes.some(({ changed }) => changed)) needs.live.changed(from.company_id, 'logs')
  // Room in the window may let the next message go.
  if (outcomes.some(({ finished }) => finished)) {
    needs.wake()
    // With sending off, Settings shows how many messages devices still hold.
    if (needs.sending.isOff(from.company_id)) needs.live.changed(from.company_id, 'settings')
  }
}

/** What became of one report; `state` where the message has come to another. */
type Outcome = { stranger?: true; changed?: true; finished?: boolean; state?: MessageState | undefined }

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
  const at = instant(Math.min(Date.parse(report.at), now_ms))
  const settled = settle(message, attempt, { ...report, attempt: attempt.attempt }, at, instant(now_ms))
  if (Object.keys(settled.attempt).length === 0) return {}
  await attemptStore(tx).update(attempt.id, { ...settled.attempt, parts: attempt.parts - settled.give_back })
  if (Object.keys(settled.message).length > 0) await moveMessage(tx, clock, message, settled.message)
  // A late word about an earlier attempt ends a message that waited for another.
  if (message.step === 'waiting' && settled.message.step === 'finished')
    await queueFor(tx, from.device_id, -1)
  if (settled.finished) await release(tx, from.device_id, settled.give_back, attempt.day)
  else await giveBack(tx, from.device_id, settled.give_back, attempt.day)
  return { changed: true, finished: settled.finished, state: settled.message.state }
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

/** A reply counts for a message of the last so many days. */
const REPLY_MS = 7 * 86_400_000

/**
 * Keeps an SMS that a device received, once for each of the device's ids, and resolves once it is on disk. It answers
 * the newest message that this device sent to that number in the last 7 days, if there is one; a stop word blocks its
 * sender.
 */
export async function takeInbox(
  needs: Pick<Needs, 'db' | 'clock'> & Parameters<typeof announceBlock>[0],
  from: From,
  sms: InboxSms,
): Promise<void> {
  const now_ms = needs.clock.now()
  const at = instant(Math.min(Date.parse(sms.at), now_ms))
  const { answered, blocked } = await needs.db.write(async (tx) => {
    const messages = messageStore(tx, { company_id: from.company_id })
    const message = await messages.sentTo(from.device_id, spellings(sms.from), instant(now_ms - REPLY_MS))
    const isNew = await inboxStore(tx).insert({
      company_id: from.company_id,
      device_id: from.device_id,
      sms_id: sms.id,
      sms_from: sms.from,
      text: sms.text,
      sms_at: at,
      received_at: instant(now_ms),
      sim: sms.sim === undefined || sms.sim === null ? null : String(sms.sim),
      message_id: message?.id ?? null,
    })
    if (!isNew) return { answered: false }
    const blocked = await blockSender(tx, needs.clock, from, sms)
    if (message === undefined) return { answered: false, blocked }
    await moveMessage(tx, needs.clock, message, {
      answer_3: sms.text,
      answer_3_timestamp: at,
      ...(mayBecome(message, 'replied') && { state: 'replied' }),
    })
    return { answered: true, blocked }
  })
  if (answered) needs.live.changed(from.company_id, 'logs')
  if (blocked) announceBlock(needs, from.company_id, blocked)
}

/**
 * How the sender of a reply may have been dialled: networks give it in full (+34600…), people often dial the national
 * number. Endings of at least 7 digits count.
 */
function spellings(number: string): string[] {
  const plain = number.replace(/[^\d+]/g, '') || number
  const digits = plain.replace(/^\+/, '')
  const endings = Array.from({ length: Math.max(0, Math.min(4, digits.length - 6)) }, (_, cut) =>
    digits.slice(cut),
  )
  return [...new Set([number, plain, digits, `+${digits}`, ...endings])]
}
