import type { Schema } from '@sdd/contract/core/route.ts'

/** A value for a field, if its name tells which; otherwise `undefined`. */
type ByName = (name: string) => unknown

type Def = {
  type: string
  shape?: Record<string, Schema>
  innerType?: Schema
  element?: Schema
  options?: Schema[]
}

const defOf = (schema: Schema) => (schema as unknown as { _zod: { def: Def } })._zod.def

/** Candidates for a field that its name does not explain: the first that its schema accepts will do. */
const ANYTHING: readonly unknown[] = [
  '+34600111222',
  'a text',
  'a-text',
  '1',
  '7',
  'someone.new@example.com',
  'http://127.0.0.1:9/',
  '2999-01-01T00:00:00.000Z',
  'ES',
  '09:00',
  'Europe/Madrid',
  '2026-12-25',
  '{amount}',
  'EUR',
  7,
  1,
  true,
  {},
]

/**
 * A value that the schema accepts, made from the schema: for an object the required fields, with `all` the optional
 * ones too. `undefined` if none was found.
 */
export function sampleOf(schema: Schema, byName: ByName, { all = false, name = '' } = {}): unknown {
  const def = defOf(schema)
  const meant = byName(name)
  if (meant !== undefined && schema.safeParse(meant).success) return meant
  if (def.type === 'object') {
    const fields = Object.entries(def.shape!).filter(([, field]) => all || !isOptional(field))
    const values = fields.map(([field, its]) => [field, sampleOf(its, byName, { all, name: field })] as const)
    const sample = Object.fromEntries(values.filter(([, value]) => value !== undefined))
    // Some objects must have one of their optional fields.
    const complete = all || fields.length > 0 || schema.safeParse(sample).success
    return complete ? sample : sampleOf(schema, byName, { all: true, name })
  }
  if (def.type === 'array') return [sampleOf(def.element!, byName, { all, name })]
  if (def.innerType) return sampleOf(def.innerType, byName, { all, name })
  if (def.type === 'union') return sampleOf(def.options![0]!, byName, { all, name })
  const values = (def as { entries?: object }).entries
  return [...(values ? Object.values(values) : []), ...ANYTHING].find(
    (value) => schema.safeParse(value).success,
  )
}

/** The fields of an object's schema, or of the first of several, and whether each is optional. */
export function fieldsOf(schema: Schema | undefined): { name: string; optional: boolean }[] {
  if (schema === undefined) return []
  const def = defOf(schema)
  if (def.type === 'union') return fieldsOf(def.options![0])
  return Object.entries(def.shape ?? {}).map(([name, field]) => ({ name, optional: isOptional(field) }))
}

function isOptional(schema: Schema): boolean {
  return schema.safeParse(undefined).success
}
