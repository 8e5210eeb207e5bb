import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_IMPORTED, ROWS_BYTES } from '@sdd/contract/people/contacts.ts'
import type { CsvTable } from '#console/people/csv/csv.ts'
import { contactOf, nextContacts, readContacts, refusedOf } from './import-rows.ts'

const CHOICES = ['number', 'name', 'lists', 'consent_how', 'consent_given_at', 'field:city']
const NO_MORE = { lists: [], consent_how: '' }

function tableOf(...rows: string[][]): CsvTable {
  return {
    titles: CHOICES,
    rows: rows.map((cells, n) => ({ line: n + 2, cells })),
    findings: { garbled: false, formulas: 0, unclosed: undefined },
  }
}

test('a row becomes a contact with only the parts that it has, and those of all rows', () => {
  const { rows } = tableOf(
    ['600111222', 'Ana', 'vip; norte;', 'web', '31/01/2026', 'Vigo'],
    ['600111333', '', '', '', '2026-01-31', ''],
  )
  const [first, second] = rows
  const midnight = new Date(2026, 0, 31).toISOString()
  assert.deepEqual(contactOf(first!, CHOICES, { lists: ['vip', 'todos'], consent_how: 'feria' }), {
    number: '600111222',
    name: 'Ana',
    fields: { city: 'Vigo' },
    lists: ['vip', 'norte', 'todos'],
    consent: { how: 'web', given_at: midnight },
  })
  assert.deepEqual(contactOf(second!, CHOICES, { lists: [], consent_how: 'feria' }), {
    number: '600111333',
    consent: { how: 'feria', given_at: midnight },
  })
  assert.deepEqual(
    contactOf(second!, CHOICES, NO_MORE),
    { number: '600111333' },
    'a date alone is no consent',
  )
})

test('rows that can be no contacts are refused with their reason, and the first of a number counts', () => {
  const { good, refused } = readContacts(
    tableOf(
      ['600 111 222'],
      [''],
      ['3,46E+10'],
      ['=1+1'],
      ['600-111-222', 'again'],
      ['600111333', 'x'.repeat(101)],
      ['600111444', '', '', '', '', 'x'.repeat(201)],
      ['600111555', '', 'y'.repeat(61)],
      ['600111666', '', '', 'web', '31/02/2026'],
      ['0034600111777'],
      ['+34600111777'],
    ),
    CHOICES,
  )
  assert.deepEqual(
    good.map(({ line }) => line),
    [2, 11],
  )
  assert.deepEqual(
    refused.map(({ row, reason }) => [row.line, reason]),
    [
      [3, 'no_number'],
      [4, 'shortened_number'],
      [5, 'invalid_number'],
      [6, 'repeated'],
      [7, 'name'],
      [8, 'fields'],
      [9, 'lists'],
      [10, 'consent'],
      [12, 'repeated'],
    ],
  )
})

test('a call has at most as many rows, and as many bytes, as the server takes', async () => {
  const short = tableOf(...Array.from({ length: MAX_IMPORTED + 3 }, (_, n) => [`+34600${100_000 + n}`]))
  const job = { rows: short.rows, choices: CHOICES, forAll: NO_MORE }
  assert.equal((await nextContacts(job, 0)).length, MAX_IMPORTED)
  assert.equal((await nextContacts(job, MAX_IMPORTED)).length, 3)
  const choices = ['number', ...Array.from({ length: 30 }, (_, n) => `field:f${n}`)]
  const long = Array.from({ length: 800 }, (_, n) => ({
    line: n,
    cells: [`+34600${100_000 + n}`, ...Array.from({ length: 30 }, () => 'ñ'.repeat(200))],
  }))
  const batch = await nextContacts({ rows: long, choices, forAll: NO_MORE }, 0)
  const bytes = Buffer.byteLength(JSON.stringify({ rows: batch }))
  assert.ok(bytes <= ROWS_BYTES, `${bytes} bytes`)
  assert.ok(bytes > ROWS_BYTES * 0.9, `${bytes} bytes`)
})

test("the server's refusals belong to the rows of their call", () => {
  const { rows } = tableOf(['1'], ['2'], ['3'], ['4'])
  const job = { rows, choices: CHOICES, forAll: NO_MORE }
  const refused = refusedOf(job, 2, [{ row: 2, code: 'invalid_number', detail: '' }])
  assert.deepEqual(refused, [{ row: rows[3], number: '4', reason: 'invalid_number' }])
})
