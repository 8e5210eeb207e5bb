import { DAY_MS, instant } from '#server/core/clock.ts'
import type { KeyCaller, NeedsOf } from '#server/core/context.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import { doorRefusals } from '#server/outward/doors/refusals.ts'
import type { DoorSms, DoorSubmission } from '#server/outward/doors/submitting.ts'
import { writeTarget } from '#server/tasks/report-target.ts'
import { taskRowByGuid } from '#server/tasks/task.ts'
import { SmppFault, STATUS } from './codec/commands.ts'
import { joinText, type PartPlace, type Piece, readPiece } from './codec/parts.ts'
import type { Submit } from './codec/pdus.ts'
import { readTime } from './codec/times.ts'
import { addPart } from './parts.ts'
import { partStore } from './parts.store.ts'

type Needs = NeedsOf<typeof addPart> & {
  submission: DoorSubmission
  entry: Pick<Entry, 'countMessages'>
}

/** The bits of `registered_delivery` that ask for a receipt: 1 for each outcome, 2 for failures. */
const RECEIPT = 0x03
/** As much as a `short_message` has. No network carries a longer part. */
const MOST_PART_OCTETS = 254
/** No task may wait longer. */
const HORIZON_MS = 366 * DAY_MS

/**
 * Hands in the SMS as a task, or stores it if it is a part of one that is not complete. Resolves to its `message_id`,
 * once all is on disk.
 */
export async function submit(needs: Needs, caller: KeyCaller, asked: Submit): Promise<string> {
  const piece = readPiece(asked)
  const times = readTimes(asked, needs.clock.now())
  const registered = asked.registered_delivery & RECEIPT
  const { part } = piece
  if (part !== undefined) return submitPart(needs, caller, { ...piece, part }, { asked, times, registered })
  const argument = registered === 0 ? undefined : String(registered)
  return handIn(needs, caller, asked, { text: joinText([piece]), argument, times })
}

/**
 * Stores a part, which counts as a message, and hands in the SMS with its last part. The place of the last part is not
 * kept if the SMS is refused, so that the program can send that part again.
 */
async function submitPart(
  needs: Needs,
  caller: KeyCaller,
  piece: Piece & { part: PartPlace },
  { asked, times, registered }: { asked: Submit; times: Times; registered: number },
): Promise<string> {
  const { db, entry } = needs
  const { company_id, api_key_id } = caller
  const { n } = piece.part
  if (piece.octets.length > MOST_PART_OCTETS) throw new SmppFault(STATUS.bad_message_length)
  entry.countMessages(caller, 1)
  const { guid, repeated, parts, registered: all } = await addPart(needs, caller, piece, registered)
  if (parts === undefined) return `${guid}.${n}`
  // A part that is sent again may complete an SMS that was handed in just before a crash.
  const known = repeated && (await taskRowByGuid(db.read, company_id, guid)) !== undefined
  if (!known)
    try {
      const argument = /[12]/.test(all) ? `p${all}` : undefined
      await handIn(needs, caller, asked, { text: joinText(parts), argument, times, guid, counted: true })
    } catch (error) {
      await db.write((tx) => partStore(tx, api_key_id).removeOne(guid, n))
      throw error
    }
  await db.write((tx) => partStore(tx, api_key_id).remove(guid))
  return `${guid}.${n}`
}

async function handIn(
  { submission }: Needs,
  caller: KeyCaller,
  { source, destination }: Submit,
  sms: { text: string; argument: string | undefined; times: Times; guid?: string; counted?: boolean },
): Promise<string> {
  const { text, argument, times, guid, counted } = sms
  const from_number = source === '' ? undefined : await submission.simOf(caller.company_id, source)
  const whole: DoorSms = {
    text,
    ...times,
    ...(from_number !== undefined && { from_number }),
    ...(argument !== undefined && { callback_url: writeTarget({ format: 'smpp', argument, url: null }) }),
  }
  const recipient = { to: destination, ...(guid !== undefined && { guid }) }
  const [done] = await submission.each(caller, [recipient], whole, counted)
  if (done!.refused !== undefined) throw new SmppFault(doorRefusals[done!.refused].smpp)
  return done!.guid
}

type Times = Pick<DoorSms, 'not_before' | 'expires_at'>

function readTimes({ schedule_delivery_time, validity_period }: Submit, now_ms: number): Times {
  const not_before = timeOf(schedule_delivery_time, now_ms, STATUS.bad_schedule)
  const expires_at = timeOf(validity_period, now_ms, STATUS.bad_validity)
  if (expires_at !== undefined && expires_at <= Math.max(now_ms, not_before ?? 0))
    throw new SmppFault(STATUS.bad_validity)
  return {
    ...(not_before !== undefined && { not_before: instant(not_before) }),
    ...(expires_at !== undefined && { expires_at: instant(expires_at) }),
  }
}

function timeOf(written: string, now_ms: number, status: number): number | undefined {
  if (written === '') return undefined
  const at_ms = readTime(written, now_ms)
  if (at_ms === undefined || at_ms > now_ms + HORIZON_MS) throw new SmppFault(status)
  return at_ms
}
