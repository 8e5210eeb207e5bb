import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { From } from '#server/core/topics.ts'
import type { Tx } from '#server/database/schema.ts'
import { type AttemptRow, attemptStore } from '#server/messages/messages/attempts.store.ts'
import { type ReportedMessage, messagesByGuids } from '#server/messages/messages/store.ts'

/** A report as its device sent it. */
export type Said = { from: From; report: Report }

/** What many reports are about, read at once and kept up to date while they are applied. */
export type Reported = {
  /** The attempts there are of the messages that are reported. */
  given: readonly { company_id: number; device_id: number; given_at: string }[]
  /** The message and the attempt that a report is about; `undefined` where the device was not given it. */
  find(said: Said): Promise<{ message: ReportedMessage; attempt: AttemptRow } | undefined>
  /** Other attempts of the message were changed beside this: they are read again. */
  forget(message: ReportedMessage): void
  /** How many messages in a row failed on the device of this attempt. */
  failuresOf(attempt: AttemptRow): number
  /** The device has failed again, or is trusted again. */
  judged(device_id: number, failures_in_row: number): void
}

export async function readReported(tx: Tx, said: readonly Said[]): Promise<Reported> {
  const keys = new Map(
    said.map(({ from, report }) => [keyOf(from.company_id, report.guid), keysOf(from, report)]),
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
 * The attempt that a report is about. A `cancel` names none, and a device that never got the command answers it all the
 * same: what it was told to drop is then meant.
 */
function attemptMeant(
  attempts: readonly AttemptRow[],
  { device_id }: From,
  report: Report,
): AttemptRow | undefined {
  const told =
    report.code === 'cancelled' &&
    attempts.find(
      ({ device_id: its, cancel_at, finished_at }) =>
        its === device_id && cancel_at !== null && finished_at === null,
    )
  return told || attempts.find(({ attempt }) => attempt === report.attempt)
}

async function attemptsOf(tx: Tx, messages: readonly ReportedMessage[]): Promise<Map<number, AttemptRow[]>> {
  if (messages.length === 0) return new Map()
  const rows = await attemptStore(tx).ofMessages(messages.map(({ id }) => id))
  return Map.groupBy(rows, ({ message_id }) => message_id)
}

function keysOf({ company_id }: From, { guid }: Report): readonly [number, string] {
  return [company_id, guid]
}

function keyOf(company_id: number, guid: string): string {
  return `${company_id} ${guid}`
}
