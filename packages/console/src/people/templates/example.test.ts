import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contact } from '@sdd/contract/people/contacts.ts'
import { exampleOf, fieldNamesIn } from './example.ts'

const contact = (number: string, name: string | null, fields: Contact['fields']): Contact => ({
  company_id: 1,
  number,
  name,
  fields,
  lists: [],
  consent: null,
  opted_out: false,
  updated_at: '2026-11-24T10:00:00.000Z',
})
const eva = contact('+34600111001', 'Eva', { ciudad: 'Vigo' })
const luis = contact('+34600111002', 'Luis', { ciudad: 'Lugo', pedido: 'A-17' })
const nobody = contact('+34600111003', null, {})

test('a template is shown with the first contact that has all its fields', () => {
  const example = exampleOf('{{name}}: {{pedido}} a {{ ciudad }}', [nobody, eva, luis])
  assert.deepEqual(example, { text: 'Luis: A-17 a Lugo', contact: luis })
})

test('without such a contact it is shown with the names of its fields, and the rarest is named', () => {
  const example = exampleOf('{{name}}: {{cita}}', [nobody, eva, luis])
  assert.deepEqual(example, { text: '(name): (cita)', missing: 'cita' })
})

test('a contact lacks a field that only every object has', () => {
  const example = exampleOf('{{name}}: {{constructor}}', [eva])
  assert.deepEqual(example, { text: '(name): (constructor)', missing: 'constructor' })
})

test('a text without fields needs no contact, and a text that is no template says why', () => {
  assert.deepEqual(exampleOf('Hola \\{{', []), { text: 'Hola {{' })
  assert.deepEqual(exampleOf('Hola {{name', []), { fault: { why: 'not_closed', near: '{{name' } })
})

test('the fields to insert are those that always exist, then those of most contacts first', () => {
  assert.deepEqual(fieldNamesIn([luis, eva, nobody]), ['name', 'number', 'ciudad', 'pedido'])
})
