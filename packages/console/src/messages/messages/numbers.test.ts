import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNumbers, withoutNumber } from './numbers.ts'
import { fieldsLeft, fillFields } from './template-fields.ts'

test('pasted numbers are read whatever stands between them, each once, and wrong ones are named', () => {
  assert.deepEqual(readNumbers('+34 600 111 222\n600-111-333, 112;\t hola\r\n+34600111222, 12'), {
    numbers: ['+34 600 111 222', '600-111-333', '112'],
    wrong: ['hola', '12'],
    repeated: 1,
  })
  assert.deepEqual(readNumbers(' \n,; '), { numbers: [], wrong: [], repeated: 0 })
})

test('a number with 00 is the same as with +, and a number that was sent leaves the text', () => {
  const typed = '0034 600 111 222, +34600111222\n112; hola'
  assert.deepEqual(readNumbers(typed), { numbers: ['0034 600 111 222', '112'], wrong: ['hola'], repeated: 1 })
  assert.equal(withoutNumber(typed, '0034 600 111 222'), '112\nhola')
})

test('known fields of a template are filled, and only its own fields are missing', () => {
  const message = 'Hola {{name}}, a las {{hora}}. {{no}} {{name}}'
  const filled = fillFields(message, ['name', 'hora'], (field) => (field === 'name' ? '{{Ana}} $&' : ''))
  assert.equal(filled, 'Hola {{Ana}} $&, a las {{hora}}. {{no}} {{Ana}} $&')
  assert.deepEqual(fieldsLeft(filled, ['name', 'hora']), ['hora'])
  assert.deepEqual(fieldsLeft(filled), [])
})
