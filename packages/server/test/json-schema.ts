/**
 * The part of JSON Schema 2020-12 that the API description uses. An unknown keyword is an error, so nothing goes
 * unchecked.
 */

type Json = Record<string, unknown>
type Check = (said: never, value: unknown, schema: Json, find: Find) => boolean | string[]
/** Resolves a `$ref`. */
export type Find = (ref: string) => unknown

/** The value's faults under this schema, each with its place; empty if it is valid. */
export function faultsOf(schema: unknown, value: unknown, find: Find, at = ''): string[] {
  const json = schema as Json
  return Object.entries(json).flatMap(([word, said]) => {
    const check = checks[word]
    if (check === undefined) throw new Error(`${at}: ${word} is not understood`)
    const result = check(said as never, value, json, (ref) => find(ref))
    if (result === true) return []
    return result === false
      ? [`${at || '/'}: ${word} ${JSON.stringify(said)}`]
      : result.map((why) => at + why)
  })
}

const nothing = (): true => true
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const length = (text: string) => [...text].length
const text = (test: (value: string, said: never) => boolean): Check => {
  return (said, value) => typeof value !== 'string' || test(value, said)
}
const number = (test: (value: number, said: number) => boolean): Check => {
  return (said, value) => typeof value !== 'number' || test(value, said)
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
  propertyNames: (said, value, _, find) =>
    !isObject(value) || Object.keys(value).flatMap((name) => faultsOf(said, name, find, `/${name}`)),
  // Formats of times also come with a pattern.
  format: nothing,
  type: (said: string | string[], value) => [said].flat().some((type) => types[type]!(value)),
  enum: (said: unknown[], value) => said.includes(value),
  const: (said, value) => said === value,
  pattern: text((value, said: string) => new RegExp(said, 'u').test(value)),
  minLength: text((value, said: number) => length(value) >= said),
  maxLength: text((value, said: number) => length(value) <= said),
  minimum: number((value, said) => value >= said),
  maximum: number((value, said) => value <= said),
  exclusiveMinimum: number((value, said) => value > said),
  minItems: (said: number, value) => !Array.isArray(value) || value.length >= said,
  maxItems: (said: number, value) => !Array.isArray(value) || value.length <= said,
  required: (said: string[], value) =>
    !isObject(value) || said.filter((name) => !(name in value)).map((name) => `/${name}: is missing`),
  items: (said, value, _, find) =>
    !Array.isArray(value) || value.flatMap((each, place) => faultsOf(said, each, find, `/${place}`)),
  properties: (said: Json, value, _, find) =>
    !isObject(value) ||
    Object.entries(said).flatMap(([name, its]) =>
      name in value ? faultsOf(its, value[name], find, `/${name}`) : [],
    ),
  patternProperties: (said: Json, value, _, find) =>
    !isObject(value) ||
    Object.entries(said).flatMap(([pattern, its]) =>
      Object.keys(value)
        .filter((name) => new RegExp(pattern, 'u').test(name))
        .flatMap((name) => faultsOf(its, value[name], find, `/${name}`)),
    ),
  additionalProperties: (said: unknown, value, { properties = {} }, find) =>
    !isObject(value) ||
    Object.keys(value)
      .filter((name) => !(name in (properties as Json)))
      .flatMap((name) =>
        said === false ? [`/${name}: is not known`] : faultsOf(said, value[name], find, `/${name}`),
      ),
  allOf: (said: unknown[], value, _, find) => said.flatMap((each) => faultsOf(each, value, find)),
  anyOf: (said: unknown[], value, _, find) =>
    said.some((each) => faultsOf(each, value, find).length === 0) ||
    said.flatMap((each) => faultsOf(each, value, find)),
  $ref: (said: string, value, _, find) => faultsOf(find(said), value, find),
}
