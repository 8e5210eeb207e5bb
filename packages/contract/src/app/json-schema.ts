import * as z from 'zod/mini'
import type { Schema } from '@sdd/contract/core/route.ts'

export type Json = { [name: string]: unknown }

/**
 * Parts that JSON Schema cannot express (such as conversions) are left open. An answer may gain new fields at any time;
 * a request has only those in its schema.
 */
export function jsonSchema(schema: Schema, io: 'input' | 'output', target?: 'draft-07'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    ...(target && { target }),
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A record with a name pattern has no other names.
      if (jsonSchema.patternProperties) delete jsonSchema.additionalProperties
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (io === 'input') allowBlanks(zodSchema, jsonSchema)
      // JavaScript's own integer bounds are not limits of the API.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return json
}

/** A text that is trimmed before it is checked may have whitespace around it. */
function allowBlanks({ _zod }: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  const { checks = [] } = _zod.def
  const trims = checks.findIndex((check) => {
    const { tx } = check._zod.def as { tx?: (text: string) => string }
    return tx?.(' a b ') === 'a b'
  })
  if (trims < 0) return
  // Checks before the trim apply to the text as written.
  const patterns = checks.flatMap((check, place) => {
    const { pattern } = check._zod.def as { pattern?: RegExp }
    if (pattern === undefined) return []
    return place < trims ? pattern.source : padded(pattern.source)
  })
  const later = checks.slice(trims + 1).map((check) => check._zod.def.check)
  if (later.some((check) => check === 'min_length' || check === 'max_length')) {
    const { minLength: least = 0, maxLength: most } = json
    const inner = `\\S([\\s\\S]{0,${most === undefined ? '' : most - 2}}\\S)?`
    patterns.push(`^\\s*${least === 0 ? `(${inner})?` : inner}\\s*$`)
    delete json.minLength
    delete json.maxLength
  }
  delete json.pattern
  delete json.allOf
  if (patterns.length === 1) json.pattern = patterns[0]!
  else if (patterns.length > 1) json.allOf = patterns.map((pattern) => ({ pattern }))
}

function padded(pattern: string): string {
  const inner = /^\^(.*)\$$/s.exec(pattern)?.[1]
  return inner === undefined ? pattern : `^\\s*(?:${inner})\\s*$`
}
