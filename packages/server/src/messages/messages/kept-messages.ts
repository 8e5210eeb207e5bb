import { HOUR_MS } from '#server/core/clock.ts'
import { rowMaker } from '@sdd/storage/row-maker.ts'
import type { Message } from './rows.ts'

/** The columns of a message that stay as it was submitted while a device has it. */
export const submittedColumns = [
  'id',
  'company_id',
  'guid',
  'message_to',
  'parts',
  'priority',
  'silent',
  'task',
  'callback_url',
  'api_key_id',
  'queue_timestamp',
] as const satisfies readonly (keyof Message)[]
export type SubmittedMessage = Pick<Message, (typeof submittedColumns)[number]>

/** A message is named by its company and its guid. */
export type GuidKey = readonly [company_id: number, guid: string]

export function nameOf([company_id, guid]: GuidKey): string {
  return `${company_id} ${guid}`
}

/**
 * The part of messages in flight that never changes, kept in memory, so that a report reads only the rest. A message
 * may be missing: then it is read as a whole.
 */
export type KeptMessages = {
  keep(message: SubmittedMessage): void
  of(key: GuidKey): SubmittedMessage | undefined
  /** The message has ended: probably nothing more is reported about it. */
  drop(key: GuidKey): void
}

/** Between this many messages and twice as many are kept. */
const KEPT = 5_000
/** SQLite gives the id of a removed message to another one. No message is removed so soon. */
const KEEP_MS = HOUR_MS

/** Copies these columns, because the rest of a message would stay in memory too. */
const submittedPart = rowMaker(submittedColumns, (_, column) => `values[0].${column}`) as (
  values: readonly [SubmittedMessage],
) => SubmittedMessage

type Kept = { message: SubmittedMessage; until_ms: number }

/** `ticks` counts milliseconds evenly. */
export function openKeptMessages(ticks = () => performance.now()): KeptMessages {
  let recent = new Map<string, Kept>()
  let older = new Map<string, Kept>()
  return {
    keep(message) {
      if (recent.size >= KEPT) [older, recent] = [recent, new Map()]
      const kept = { message: submittedPart([message]), until_ms: ticks() + KEEP_MS }
      recent.set(nameOf([message.company_id, message.guid]), kept)
    },
    of(key) {
      const name = nameOf(key)
      const kept = recent.get(name) ?? older.get(name)
      return kept !== undefined && kept.until_ms > ticks() ? kept.message : undefined
    },
    drop(key) {
      const name = nameOf(key)
      recent.delete(name)
      older.delete(name)
    },
  }
}
