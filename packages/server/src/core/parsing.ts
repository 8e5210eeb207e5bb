import type { Schema } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'

/** What is wrong with each field, by its path: `{"tasks.3": "is required"}`. */
export type Faults = Record<string, string>

type Issue = z.core.$ZodIssue

/** Reads a value by its schema, as JSON has it. Where it does not fit: every fault; those of the whole under `whole`. */
export function parse<S extends Schema>(
  schema: S,
  value: unknown,
  { whole = 'body', explain = explainMissing }: { whole?: string; explain?: z.core.$ZodErrorMap } = {},
): { value: z.output<S>; faults?: never } | { faults: Faults; value?: never } {
  const parsed = z.safeParse(quick(schema), value, { error: explain })
  if (parsed.success) return { value: parsed.data }
  const faults: Faults = {}
  for (const issue of parsed.error.issues) noteFaults(faults, issue, [], whole)
  return { faults }
}

/** The same schema, quicker: for a `mini` object zod goes through its fields, where it could have code made for them. */
export function quick<S extends Schema>(schema: S): S {
  return quicker.getOrInsertComputed(schema, quicken) as S
}

const quicker = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

function quicken(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodUnion) {
    return new z.core.$ZodUnion({ ...schema._zod.def, options: schema._zod.def.options.map(quicken) })
  }
  if (schema instanceof z.core.$ZodArray) {
    return new z.core.$ZodArray({ ...schema._zod.def, element: quicken(schema._zod.def.element) })
  }
  if (!(schema instanceof z.core.$ZodObject)) return schema
  const fields = Object.entries(schema._zod.def.shape).map(([name, field]) => [name, quicken(field)])
  return new z.core.$ZodObjectJIT({ ...schema._zod.def, shape: Object.fromEntries(fields) })
}

/** One sentence of it all: `to_number: is required; text: is required`. */
export function inWords(faults: Faults): string {
  const reasons = Object.entries(faults).map(([name, why]) => `${name}: ${why}`)
  const shown = reasons.length > 5 ? [...reasons.slice(0, 5), 'and more'] : reasons
  return `What was sent is not valid. ${shown.join('; ')}.`
}

/** Why a field is invalid, where its schema has no words of its own; zod's are for the rest. */
export const explainMissing: z.core.$ZodErrorMap = (issue) =>
  issue.input === undefined ? 'is required' : undefined

function noteFaults(faults: Faults, issue: Issue, above: readonly PropertyKey[], whole: string): void {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) faults[[...path, key].join('.')] ??= 'is not known here'
    return
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    for (const inner of meant(issue.errors)) noteFaults(faults, inner, path, whole)
    return
  }
  faults[path.join('.') || whole] ??= issue.message
}

/** Of several forms, the one that was probably meant: the first of those to which least is unknown. */
function meant(forms: readonly (readonly Issue[])[]): readonly Issue[] {
  const unknown = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
  return forms.reduce((best, form) => (unknown(form) < unknown(best) ? form : best))
}

z.config(z.locales.en())
