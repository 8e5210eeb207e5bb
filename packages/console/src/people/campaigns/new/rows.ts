import { MAX_CAMPAIGN_ROWS, type NewCampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import { septetsOf } from '@sdd/sms/gsm7.ts'
import { nextBatch } from '#console/people/csv/batch.ts'
import type { CsvRow } from '#console/people/csv/csv.ts'
import { instantOf } from '#console/people/csv/instant.ts'
import { fieldOf, readRow, type ColumnChoice, type CsvTarget } from '#console/people/csv/mapping.ts'

/** What the columns of a file can give. */
export const rowTargets: readonly CsvTarget[] = [
  { key: 'number', titles: [] },
  {
    key: 'name',
    titles: ['name', 'nombre', 'nombre completo', 'full name', 'cliente', 'customer', 'contacto'],
  },
  { key: 'at', titles: ['at', 'enviar el', 'fecha de envio', 'hora de envio', 'send at', 'send on'] },
]

/** A row as a person corrected it. */
export type Correction = { number: string; fields: Record<string, string>; at: string | null }

/** The rows of a file, and how they are uploaded. Corrections are by the row's number in the campaign. */
export type UploadPlan = {
  rows: readonly CsvRow[]
  choices: readonly ColumnChoice[]
  corrections: ReadonlyMap<number, Correction>
  /** Letters that GSM-7 lacks are written without their accent. */
  plain: boolean
}

/** Why a table cannot be uploaded. */
export type PlanFault = 'no_number' | 'too_many_rows' | 'too_many_fields'

export function planFault({ rows, choices }: UploadPlan, mostFields: number): PlanFault | undefined {
  if (!choices.includes('number')) return 'no_number'
  if (rows.length > MAX_CAMPAIGN_ROWS) return 'too_many_rows'
  return choices.filter((choice) => fieldOf(choice) !== undefined).length > mostFields
    ? 'too_many_fields'
    : undefined
}

/** The row with this number, counted from 1. */
export function rowOf({ rows, choices, corrections, plain }: UploadPlan, number: number): NewCampaignRow {
  const corrected = corrections.get(number)
  if (corrected) return { ...corrected, fields: plain ? plainFields(corrected.fields) : corrected.fields }
  const { values, fields } = readRow(rows[number - 1]!, choices)
  const all = { ...fields, ...(values['name'] !== undefined && { name: values['name'] }) }
  return {
    number: values['number'] ?? '',
    ...(Object.keys(all).length > 0 && { fields: plain ? plainFields(all) : all }),
    ...(values['at'] !== undefined && { at: instantOf(values['at']) }),
  }
}

function plainFields(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainText(value)]))
}

/** Letters that GSM-7 lacks, without their accent. Its own, such as é and ñ, stay. */
export function plainText(text: string): string {
  return text.normalize('NFC').replace(/[^\0-\x7f]/gu, (letter) => {
    const base = letter.normalize('NFD').slice(0, 1)
    return septetsOf(letter.charCodeAt(0)) > 0 || septetsOf(base.charCodeAt(0)) === 0 ? letter : base
  })
}

/** The rows of the next call, after the first `done`. */
export function nextRows(plan: UploadPlan, done: number): Promise<NewCampaignRow[]> {
  return nextBatch(plan.rows.length - done, (place) => rowOf(plan, done + place + 1))
}

/** The fields that the columns give, in their order. */
export function fieldsGiven(choices: readonly ColumnChoice[]): string[] {
  return choices.flatMap((choice) => (choice === 'name' ? 'name' : (fieldOf(choice) ?? [])))
}
