import * as z from 'zod/mini'
import type { Termux } from './commands.ts'

/** One SMS of the phone's store, as `termux-sms-list` prints it. */
const Row = z.object({
  _id: z.int(),
  /** `inbox`, `sent`, `failed`, `outbox`, `draft`; empty while it is queued. */
  type: z.string(),
  /** Older versions print only `number`. */
  address: z.optional(z.nullable(z.string())),
  number: z.optional(z.nullable(z.string())),
  /** `2026-03-01 10:00:00`, in the phone's time zone. */
  received: z.string(),
  body: z._default(z.nullable(z.string()), ''),
})

export type PhoneSms = {
  id: number
  type: string
  number: string
  body: string
  at_ms: number
  received: string
}

/** Newest first. `which`: only the received or sent ones, or all SMS of the phone. */
export async function listSms(
  termux: Pick<Termux, 'ask'>,
  which: 'inbox' | 'sent' | 'all',
  limit: number,
  offset = 0,
): Promise<PhoneSms[]> {
  // -d and -n: dates and numbers, which older versions print only on request.
  const args = ['-d', '-n', '-t', which, '-l', String(limit), '-o', String(offset)]
  const printed = await termux.ask('termux-sms-list', args)
  const rows = Array.isArray(printed) ? (printed as unknown[]) : []
  return rows
    .flatMap((row) => Row.safeParse(row).data ?? [])
    .map(({ _id, type, address, number, received, body }) => ({
      id: _id,
      type,
      number: address ?? number ?? '',
      body: body ?? '',
      at_ms: Date.parse(plainDigits(received).replace(' ', 'T')),
      received,
    }))
    .toReversed()
}

/** Android writes dates with the digits of its language. In their Unicode rows of 16, these begin at 0 or at 6. */
function plainDigits(date: string): string {
  return date.replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!
    const row = code - (code % 16)
    return String((code - row - (/\p{Nd}/u.test(String.fromCodePoint(row)) ? 0 : 6)) % 10)
  })
}
