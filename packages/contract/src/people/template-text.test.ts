import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  explainTemplateFault,
  fieldsOf,
  ownField,
  parseTemplateText,
  renderTemplateText,
} from './template-text.ts'

function rendered(text: string, values: Record<string, string>): string | { missing: string } {
  const { pieces } = parseTemplateText(text)
  assert.ok(pieces, `${text} is a template`)
  const { text: written, missing } = renderTemplateText(pieces, (field) => ownField(values, field))
  return missing === undefined ? written : { missing }
}

test('fields are replaced by their values, with or without blanks in the braces', () => {
  assert.equal(rendered('Hola {{name}}, {{ hora }}.', { name: 'Ana', hora: '9:30' }), 'Hola Ana, 9:30.')
  assert.equal(rendered('{{a}}{{a}}', { a: 'x' }), 'xx')
  assert.equal(rendered('sin campos', {}), 'sin campos')
  assert.equal(rendered('{{dirección}}', { dirección: 'Sol 3' }), 'Sol 3')
})

test('a field that is unknown or empty leaves no text, and the first one is named', () => {
  assert.deepEqual(rendered('{{a}} {{b}}', { a: '1', b: '' }), { missing: 'b' })
  assert.deepEqual(rendered('{{Name}}', { name: 'Ana' }), { missing: 'Name' })
  for (const field of ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])
    assert.deepEqual(rendered(`{{${field}}}`, { a: '1' }), { missing: field })
  assert.equal(rendered('{{constructor}}', { constructor: 'Ana' }), 'Ana')
})

test('a value is put in as it is, even if it looks like a field', () => {
  assert.equal(rendered('{{a}}', { a: '{{b}} $& \\{{' }), '{{b}} $& \\{{')
})

test('an escaped pair of braces is written as two braces', () => {
  assert.equal(rendered('\\{{name}} es {{name}}', { name: 'Ana' }), '{{name}} es Ana')
  assert.equal(rendered('{ {} }} {', {}), '{ {} }} {')
  assert.equal(rendered('{{a}}\\{{', { a: 'x' }), 'x{{')
})

test('braces that are not closed, and what cannot be the name of a field, are faults', () => {
  for (const [text, why] of [
    ['Hola {{name', 'not_closed'],
    ['{{', 'not_closed'],
    ['{{}}', 'not_a_field'],
    ['{{a b}}', 'not_a_field'],
    ['{{1a}}', 'not_a_field'],
    [`{{${'a'.repeat(41)}}}`, 'not_a_field'],
    ['{{a.b}}', 'not_a_field'],
  ] as const) {
    const { fault } = parseTemplateText(text)
    assert.equal(fault?.why, why, text)
    assert.match(explainTemplateFault(fault), /^holds /)
  }
})

test('the fields of a text are named once each', () => {
  assert.deepEqual(fieldsOf(parseTemplateText('{{b}} {{a}} {{ b }}').pieces!), ['b', 'a'])
})
