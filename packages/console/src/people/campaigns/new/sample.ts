import { ownField, parseTemplateText, type TemplateText } from '@sdd/contract/people/template-text.ts'
import { lettersBeyondGsm, measureText, type TextMeasure } from '@sdd/sms/segments.ts'
import { rowOf, type UploadPlan } from './rows.ts'

/** A row to draw the text with. `values` has every field that it can fill. */
export type Sample = { row: number; values: Readonly<Record<string, string>> }

export type Drawn = {
  pieces: readonly (string | { value: string })[]
  measure: TextMeasure
  /** The letters that made it UCS-2. */
  letters: string[]
  missing?: never
}

/** The text as this row gets it, or the field that it lacks. */
export function drawSample(pieces: TemplateText, { values }: Sample): Drawn | { missing: string } {
  const drawn: (string | { value: string })[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') drawn.push(piece)
    else {
      const value = ownField(values, piece.field)
      if (value === undefined || value === '') return { missing: piece.field }
      drawn.push({ value })
    }
  }
  const text = drawn.map((piece) => (typeof piece === 'string' ? piece : piece.value)).join('')
  const measure = measureText(text)
  return { pieces: drawn, measure, letters: measure.encoding === 'ucs2' ? lettersBeyondGsm(text) : [] }
}

/** The pieces of a text; none while a field is being typed. */
export function piecesOf(text: string): TemplateText | undefined {
  return parseTemplateText(text).pieces
}

/** Rows of a file that is not uploaded yet. Contacts are unknown here. */
export function localSamples(plan: UploadPlan, from: number, most: number): Sample[] {
  const samples: Sample[] = []
  for (let row = from; row <= plan.rows.length && samples.length < most; row++) {
    const { number, fields } = rowOf(plan, row)
    samples.push({ row, values: { ...fields, number } })
  }
  return samples
}
