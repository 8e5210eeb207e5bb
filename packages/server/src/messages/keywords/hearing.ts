import { randomUUID } from 'node:crypto'
import { measureText } from '@sdd/sms/segments.ts'
import { lockedSettings, settingsOf } from '#server/accounts/settings/settings.ts'
import { DAY_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import { isAnswerable } from '#server/core/phone-number.ts'
import type { Tx } from '#server/database/schema.ts'
import { countQueued } from '#server/fleet/devices/capacity.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { numberOfSim } from '#server/fleet/sims/own-numbers.ts'
import { type DestinationRules, explainDestination } from '#server/messages/destinations/rules.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { addMessage, type MoveNeeds } from '#server/messages/messages/moving.ts'
import { announceQueued, type QueuedNeeds } from '#server/messages/messages/queued.ts'
import {
  announceBlock,
  type Blocked,
  blockNumber,
  type BlockNeeds,
  unblockBySms,
} from '#server/messages/opt-outs/blocking.ts'
import { optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { bareWord, isStopWord } from '#server/messages/opt-outs/stop-words.ts'
import { START_WORDS } from './keywords.ts'
import { autoAnswerStore, type KeywordRow, keywordStore } from './store.ts'

export type HearingNeeds = MoveNeeds & BlockNeeds & { destinations: Pick<DestinationRules, 'of'> }

/** An SMS from a number in its stored form. `sim` is as the device names it. */
type HeardSms = { number: string; text: string; sim: string | number | null | undefined }

/** The effects of a received word, to be announced after the commit. */
export type Heard = { blocked?: Blocked | undefined; unblocked?: boolean; answered?: boolean }

const LIFETIME_MS = DAY_MS
/** Two machines that answer each other must not do so for ever. */
const BETWEEN_MS = MINUTE_MS
const MOST_A_DAY = 10

/**
 * Reacts to an SMS that is nothing but a word, in the transaction that stores it: a stop word blocks its sender, START
 * ends such a block, and a keyword is answered through the SIM that received it. A sender that cannot be answered has
 * no effect.
 */
export async function hearWord(
  tx: Tx,
  needs: HearingNeeds,
  from: ConnectedDevice,
  sms: HeardSms,
): Promise<Heard> {
  const { company_id, uid: device_uid } = from
  const { number, text } = sms
  const word_key = bareWord(text)
  if (word_key === '' || !isAnswerable(number)) return {}
  const keyword = await keywordStore(tx, { company_id }).byKey(company_id, word_key)
  const settings = await settingsOf(tx, { company_id }, company_id)
  if (keyword?.action === 'stop' || isStopWord(text, JSON.parse(settings.stop_words) as string[])) {
    const blocked = await blockNumber(tx, needs, { company_id, number, text, device_uid, created_by: null })
    // The answer is the one message that the number gets after the block.
    const answered = blocked !== undefined && (await answer(tx, needs, from, sms, keyword))
    return { blocked, answered }
  }
  const starts = keyword?.action === 'start' || START_WORDS.has(word_key)
  const unblocked = starts && (await unblockBySms(tx, company_id, number))
  if (!keyword || (await optedOut(tx, company_id, [number])).size > 0) return { unblocked }
  return { unblocked, answered: await answer(tx, needs, from, sms, keyword) }
}

/** Announces the effects after the commit. */
export function announceHeard(
  needs: Parameters<typeof announceBlock>[0] & QueuedNeeds,
  { company_id, device_id }: ConnectedDevice,
  { blocked, unblocked, answered }: Heard,
): void {
  if (blocked) announceBlock(needs, company_id, blocked)
  if (unblocked) needs.live.changed(company_id, 'opt_outs')
  if (answered) announceQueued(needs, { company_id, device_id })
}

/**
 * Queues the answer of the keyword on the device that received the SMS. False if there is none, or too many, or if the
 * device was unlinked since.
 */
async function answer(
  tx: Tx,
  needs: HearingNeeds,
  { company_id, device_id, uid }: ConnectedDevice,
  { number, sim }: HeardSms,
  keyword: KeywordRow | undefined,
): Promise<boolean> {
  if (keyword === undefined || keyword.answer === null) return false
  if ((await deviceStore(tx, { company_id }).byId(device_id)) === undefined) return false
  const { clock, destinations } = needs
  // Two SMS of one number at the same time must not both be answered.
  const settings = await lockedSettings(tx, 'all', company_id)
  const rules = await destinations.of(tx, company_id, settings.destinations)
  if (rules && explainDestination(rules, number)) return false
  const now_ms = clock.now()
  if (!(await countAnswer(tx, company_id, number, { now_ms, day: clock.day(now_ms) }))) return false
  await addMessage(tx, needs, {
    company_id,
    guid: randomUUID(),
    device_id,
    message: keyword.answer,
    message_to: number,
    parts: measureText(keyword.answer).segments,
    priority: CLASS_PRIORITY.transactional,
    silent: 0,
    queued_by_name: keyword.word,
    queue_timestamp: instant(now_ms),
    task: 0,
    from_number: (await numberOfSim(tx, uid, sim)) ?? null,
    due_at: instant(now_ms),
    expires_at: instant(now_ms + LIFETIME_MS),
  })
  await countQueued(tx, device_id, 1)
  return true
}

/** Counts one more answer to this number. False if it had one in the last minute, or as many today as it may. */
async function countAnswer(
  tx: Tx,
  company_id: number,
  number: string,
  { now_ms, day }: { now_ms: number; day: string },
): Promise<boolean> {
  const answers = autoAnswerStore(tx, company_id)
  const before = await answers.of(number)
  const count = before?.day === day ? before.count : 0
  if (count >= MOST_A_DAY) return false
  // Less than 0 if the clock was set back since.
  const since_ms = before === undefined ? Infinity : now_ms - Date.parse(before.last_at)
  if (since_ms >= 0 && since_ms < BETWEEN_MS) return false
  if (before === undefined) await answers.forget(day)
  await answers.put(number, { day, count: count + 1, last_at: instant(now_ms) })
  return true
}
