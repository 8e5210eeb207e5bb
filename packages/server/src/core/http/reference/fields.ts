import { escapeHtml, prose } from './html.ts'

/** The part of JSON Schema that the API's description uses. */
export type JsonSchema = {
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | false
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
}

/** The fields of a schema as nested lists. */
export function fieldsHtml(schema: JsonSchema): string {
  return `<div class="type">${kindOf(schema)}</div>${insideOf(schema)}`
}

function insideOf(schema: JsonSchema): string {
  const { properties, items, additionalProperties } = schema
  if (properties) {
    const rows = Object.entries(properties).map(([name, field]) => rowOf(name, field, schema.required))
    return rows.length > 0 ? `<ul class="fields">${rows.join('')}</ul>` : ''
  }
  if (items) return insideOf(items)
  const others = alternativesOf(schema)
  if (others)
    return others
      .map(insideOf)
      .filter((inside) => inside !== '')
      .join('<div class="type">or</div>')
  return additionalProperties ? insideOf(additionalProperties) : ''
}

function rowOf(name: string, field: JsonSchema, required: string[] = []): string {
  const mark = required.includes(name) ? '' : ' <span class="optional">optional</span>'
  const note = field.description ? ` ${prose(field.description)}` : ''
  return `<li><code>${escapeHtml(name)}</code> <span class="type">${kindOf(field)}</span>${mark}${note}${insideOf(field)}</li>`
}

/** Null is a word of the type, not an alternative. */
function alternativesOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] | undefined {
  return (anyOf ?? oneOf)?.filter(({ type }) => type !== 'null')
}

/** The type of a value with its limits, in a few words. */
function kindOf(schema: JsonSchema): string {
  const others = alternativesOf(schema)
  if (others) {
    const all = (schema.anyOf ?? schema.oneOf)!
    return [...others.map(kindOf), ...(all.length > others.length ? ['null'] : [])].join(' or ')
  }
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`
  if (schema.enum)
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ')
  const type = [schema.type ?? 'any'].flat().join(' or ')
  const whole = schema.items
    ? `array of ${kindOf(schema.items)}`
    : schema.format === 'date-time'
      ? 'time'
      : type
  return [whole, ...limitsOf(schema)].join(', ')
}

function limitsOf(schema: JsonSchema): string[] {
  const range = (least: number | undefined, most: number | undefined, unit: string) =>
    least === undefined && most === undefined ? [] : [`${rangeOf(least, most)}${unit}`]
  return [
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...(schema.default === undefined
      ? []
      : [`default <code>${escapeHtml(JSON.stringify(schema.default))}</code>`]),
  ]
}

function rangeOf(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return `up to ${most}`
  return most === undefined ? `from ${least}` : `${least}–${most}`
}
