/**
 * The part of JSON Schema 2020-12 in the API description. An unknown keyword is an error, so nothing goes unchecked.
 */

type Json = Record<string, unknown>
type Check = (expected: never, value: unknown, schema: Json, find: Find) => boolean | string[]
/** Resolves a `$ref`. */
export type Find = (ref: string) => unknown

/** The value's faults under this schema, each with its place; empty if it is valid. */
export function faultsOf(schema: unknown, value: unknown, find: Find, at = ''): string[] {
  const json = schema as Json
  return Object.entries(json).flatMap(([word, expected]) => {
    const check = checks[word]
    if (check === undefined) throw new Error(`${at}: ${word} is not understood`)
    const result = check(expected as never, value, json, (ref) => find(ref))
    if (result === true) return []
    return result === false
      ? [`${at || '/'}: ${word} ${JSON.stringify(expected)}`]
      : result.map((why) => at + why)
  })
}

const nothing = (): true => true
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const length = (text: string) => [...text].length
const text = (test: (value: string, expected: never) => boolean): Check => {
  return (expected, value) => typeof value !== 'string' || test(value, expected)
}
const number = (test: (value: number, expected: number) => boolean): Check => {
  return (expected, value) => typeof value !== 'number' || test(value, expected)
}

const types: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
}

const checks: Record<string, Check> = {
  description: nothing,
  default: nothing,
  propertyNames: (expected, value, _, find) =>
    !isObject(value) || Object.keys(value).flatMap((name) => faultsOf(expected, name, find, `/${name}`)),
  // Formats of times also come with a pattern.
  format: nothing,
  type: (expected: string | string[], value) => [expected].flat().some((type) => types[type]!(value)),
  enum: (expected: unknown[], value) => expected.includes(value),
  const: (expected, value) => expected === value,
  pattern: text((value, expected: string) => new RegExp(expected, 'u').test(value)),
  minLength: text((value, expected: number) => length(value) >= expected),
  maxLength: text((value, expected: number) => length(value) <= expected),
  minimum: number((value, expected) => value >= expected),
  maximum: number((value, expected) => value <= expected),
  exclusiveMinimum: number((value, expected) => value > expected),
  minItems: (expected: number, value) => !Array.isArray(value) || value.length >= expected,
  maxItems: (expected: number, value) => !Array.isArray(value) || value.length <= expected,
  minProperties: (expected: number, value) => !isObject(value) || Object.keys(value).length >= expected,
  required: (expected: string[], value) =>
    !isObject(value) || expected.filter((name) => !(name in value)).map((name) => `/${name}: is missing`),
  items: (expected, value, _, find) =>
    !Array.isArray(value) || value.flatMap((each, place) => faultsOf(expected, each, find, `/${place}`)),
  properties: (expected: Json, value, _, find) =>
    !isObject(value) ||
    Object.entries(expected).flatMap(([name, part]) =>
      name in value ? faultsOf(part, value[name], find, `/${name}`) : [],
    ),
  patternProperties: (expected: Json, value, _, find) =>
    !isObject(value) ||
    Object.entries(expected).flatMap(([pattern, part]) =>
      Object.keys(value)
        .filter((name) => new RegExp(pattern, 'u').test(name))
        .flatMap((name) => faultsOf(part, value[name], find, `/${name}`)),
    ),
  additionalProperties: (expected: unknown, value, { properties = {} }, find) =>
    !isObject(value) ||
    Object.keys(value)
      .filter((name) => !(name in (properties as Json)))
      .flatMap((name) =>
        expected === false ? [`/${name}: is not known`] : faultsOf(expected, value[name], find, `/${name}`),
      ),
  allOf: (expected: unknown[], value, _, find) => expected.flatMap((each) => faultsOf(each, value, find)),
  anyOf: (expected: unknown[], value, _, find) =>
    expected.some((each) => faultsOf(each, value, find).length === 0) ||
    expected.flatMap((each) => faultsOf(each, value, find)),
  $ref: (expected: string, value, _, find) => faultsOf(find(expected), value, find),
}
