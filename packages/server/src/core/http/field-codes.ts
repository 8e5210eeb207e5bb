import { formatCodes } from '@sdd/contract/core/fields.ts'
import type * as z from 'zod/mini'
import { fault } from '#server/core/field-faults.ts'
import type { Fault } from '#server/core/refusal.ts'

type Issue = z.core.$ZodIssue
type Type = z.core.$ZodType

/** The fault that an issue reports about the value at this path of the schema. `input` must be reported too. */
export function faultOf(issue: Issue, schema: Type, path: readonly PropertyKey[]): Fault {
  const { message: why } = issue
  if (issue.input === undefined) return fault(why, 'required', {})
  const { code } = issue
  if (code === 'custom' && issue.params?.['field_code'] === 'required') return fault(why, 'required', {})
  if (code === 'invalid_value') return fault(why, 'not_one_of', { values: issue.values.map(asJson) })
  if (code !== 'too_small' && code !== 'too_big')
    return fault(why, formatAt(schema, path) ?? 'bad_format', {})
  if (isAmount(issue.origin)) return fault(why, 'out_of_range', boundsAt(schema, path))
  if (code === 'too_big') return fault(why, 'too_long', { max: Number(issue.maximum) })
  const min = Number(issue.minimum)
  return issue.origin === 'string' && min === 1
    ? fault(why, 'required', {})
    : fault(why, 'too_short', { min })
}

function isAmount(origin: string): boolean {
  return origin === 'number' || origin === 'int' || origin === 'bigint'
}

function asJson(value: unknown): string | number | boolean | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** Both bounds of the number at this path. The issue has only one of them. */
function boundsAt(schema: Type, path: readonly PropertyKey[]): { min: number | null; max: number | null } {
  for (const type of typesAt(schema, path)) {
    if (type._zod.def.type !== 'number') continue
    const bound = (kind: string) => {
      const checks = (type._zod.def.checks ?? []).map((check) => check._zod.def as Bound)
      return checks.find(({ check }) => check === kind)?.value ?? null
    }
    return { min: bound('greater_than'), max: bound('less_than') }
  }
  return { min: null, max: null }
}

type Bound = { check: string; value?: number }

function formatAt(schema: Type, path: readonly PropertyKey[]) {
  for (const type of typesAt(schema, path)) {
    const code = formatCodes.get(type as z.ZodMiniType)?.code
    if (code !== undefined) return code
  }
  return undefined
}

type Def = {
  type: string
  innerType?: Type
  in?: Type
  out?: Type
  options?: readonly Type[]
  shape?: Record<string, Type>
  element?: Type
}

/** Every type that the value at this path may have: without wrappers such as `optional`, and of each union option. */
function* typesAt(schema: Type, [name, ...rest]: readonly PropertyKey[]): Generator<Type> {
  for (const type of unwrap(schema)) {
    const { shape, element } = type._zod.def as Def
    if (name === undefined) yield type
    else if (shape && Object.hasOwn(shape, name)) yield* typesAt(shape[String(name)]!, rest)
    else if (element && typeof name === 'number') yield* typesAt(element, rest)
  }
}

function* unwrap(schema: Type): Generator<Type> {
  yield schema
  const { innerType, in: before, out, options = [] } = schema._zod.def as Def
  for (const inner of [innerType, before, out, ...options]) if (inner) yield* unwrap(inner)
}
