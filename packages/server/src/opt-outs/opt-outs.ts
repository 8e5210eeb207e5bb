import type { OptOut } from '@sdd/contract/opt-outs.ts'
import { numberKey } from '#server/core/number-key.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { type OptOutRow, optOutStore } from './store.ts'

/** Those of these numbers that the company may not write to, by the number as it was given: one query for all. */
export async function optedOut(
  tx: Tx,
  company_id: number,
  numbers: readonly string[],
): Promise<Map<string, OptOut>> {
  const optOuts = optOutStore(tx, { company_id })
  const keys = [...new Set(numbers.map(numberKey))]
  const rows = await optOuts.byKeys(company_id, keys)
  if (rows.length === 0) return new Map()
  const byKey = new Map(rows.map((row) => [row.number_key, asOptOut(row)]))
  return new Map(
    numbers.flatMap((number) => {
      const optOut = byKey.get(numberKey(number))
      return optOut ? [[number, optOut] as const] : []
    }),
  )
}

/** `opted_out` where the company may not write to this number. */
export async function refuseOptedOut(tx: Tx, company_id: number, number: string): Promise<void> {
  const row = await optOutStore(tx, { company_id }).byKey(company_id, numberKey(number))
  if (row !== undefined) throw new Refusal('opted_out', whyNot(number, row))
}

/** One sentence: why nothing is sent to this number, since when, and what would change that. */
export function whyNot(
  number: string,
  { text, device_uid, created_by, created_at }: Omit<OptOut, 'id'>,
): string {
  const why =
    text === null
      ? `${number} was blocked by ${created_by ?? 'an admin'} at ${created_at}`
      : `${number} asked not to be written to, by the SMS ${JSON.stringify(text)} that ${device_uid} received at ${created_at}`
  return `${why}. Nothing is sent to it unless an admin lifts the block in Settings.`
}

/** As the contract has it. */
export function asOptOut({ number_key: _, ...optOut }: OptOutRow): OptOut {
  return optOut
}
