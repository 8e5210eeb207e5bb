import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextBatch } from './batch.ts'
import { MAX_CSV_BYTES, type CsvLayout, type CsvTable } from './csv.ts'
import { guessMapping, readRow } from './mapping.ts'
import { writeCsv } from './parse.ts'
import { fileFault, guessLayout, readTable } from './reader.ts'

const TARGETS = [
  { key: 'number', titles: [] },
  { key: 'name', titles: ['nombre', 'name'] },
]

const utf8 = (text: string) => new TextEncoder().encode(text)
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

async function read(bytes: Uint8Array, part: Partial<CsvLayout> = {}): Promise<CsvTable> {
  const table = await readTable(bytes, { ...(await guessLayout(bytes)), ...part })
  assert.ok(typeof table !== 'string', 'it is a table')
  return table
}

test('encoding, separator and title row are guessed', async () => {
  const rows = 'teléfono;ciudad\n600111222;Málaga\n600111333;Cádiz\n'
  assert.deepEqual(await guessLayout(utf8(rows)), { encoding: 'utf-8', separator: ';', titled: true })
  assert.deepEqual(await guessLayout(utf8(`\uFEFF${rows}`)), {
    encoding: 'utf-8',
    separator: ';',
    titled: true,
  })
  assert.deepEqual(await guessLayout(latin1(rows)), {
    encoding: 'windows-1252',
    separator: ';',
    titled: true,
  })
  const utf16 = new Uint8Array(Buffer.from(`\uFEFF${rows.replaceAll(';', '\t')}`, 'utf16le'))
  assert.deepEqual(await guessLayout(utf16), { encoding: 'utf-16le', separator: '\t', titled: true })
  assert.deepEqual(await guessLayout(utf8('+34600111222,Ana\n+34600111333,Luis\n')), {
    encoding: 'utf-8',
    separator: ',',
    titled: false,
  })
  assert.equal((await guessLayout(utf8('600111222\n600111333\n'))).separator, ',')
})

test('rows keep their place in the file, blank ones are left out, and a mark at the beginning is no letter', async () => {
  const table = await read(utf8('\uFEFFnumber,city\n\n600111222, Vigo \n,\n"600 111 333","A, b\nc"\n'))
  assert.deepEqual(table.titles, ['number', 'city'])
  assert.deepEqual(table.rows, [
    { line: 3, cells: ['600111222', 'Vigo'] },
    { line: 5, cells: ['600 111 333', 'A, b\nc'] },
  ])
})

test('the rows of a call are put together in pieces, between which the browser can work', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  let turns = 0
  let counting: NodeJS.Immediate
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  count()
  const batch = await nextBatch(5_000, (place) => {
    now += 1
    return place
  })
  clearImmediate(counting!)
  assert.equal(batch.length, 5_000)
  assert.ok(turns > 100, `${turns} turns`)
})

test('a large file is read in pieces, between which the browser can work, and no row is lost or cut', async () => {
  const note = 'a note, with a comma\nand a line '
  const lines = Array.from({ length: 30_000 }, (_, n) => `+3460${1_000_000 + n},"${note}${n}"`)
  let turns = 0
  const timer = setInterval(() => turns++)
  const { rows, findings } = await read(utf8(`number,note\n${lines.join('\n')}\n`))
  clearInterval(timer)
  assert.equal(rows.length, 30_000)
  assert.ok(rows.every(({ cells }, n) => cells[0] === `+3460${1_000_000 + n}` && cells[1] === note + n))
  assert.equal(findings.unclosed, undefined)
  assert.ok(turns >= 5, `${turns}`)
  const torn = await read(utf8(`number,note\n${lines.join('\n')}\n+34600111222,"open\n`))
  assert.equal(torn.findings.unclosed, 30_002)
})

test('letters of a wrong encoding are found, and the right one reads them', async () => {
  const bytes = latin1('number,city\n600111222,Málaga\n')
  assert.equal((await read(bytes)).rows[0]!.cells[1], 'Málaga')
  const wrong = await read(bytes, { encoding: 'utf-8' })
  assert.equal(wrong.findings.garbled, true)
  assert.equal((await read(utf8('number,city\n600111222,Málaga\n'))).findings.garbled, false)
  const twisted = await read(utf8('number,city\n600111222,Málaga\n'), { encoding: 'windows-1252' })
  assert.equal(twisted.findings.garbled, true)
})

test('formulas stay text and are counted, and marks of spreadsheets for text are dropped', async () => {
  const table = await read(
    utf8(`number,note\n="600111222",=HYPERLINK("http://x")\n'+34600111333,'=1+1\n600111444,'tis\n`),
  )
  assert.deepEqual(
    table.rows.map(({ cells }) => cells),
    [
      ['600111222', '=HYPERLINK("http://x")'],
      ['+34600111333', '=1+1'],
      ['600111444', `'tis`],
    ],
  )
  assert.equal(table.findings.formulas, 2)
})

test('a quote that is never closed is found in its row', async () => {
  const table = await read(utf8('number,city\n600111222,Vigo\n600111333,"Lugo\n600111444,León\n'))
  assert.equal(table.findings.unclosed, 3)
})

test('a file without a table of text is refused with its reason', async () => {
  assert.equal(fileFault(new Uint8Array()), 'empty')
  assert.equal(fileFault(Uint8Array.of(0x50, 0x4b, 3, 4, 20)), 'workbook')
  assert.equal(fileFault(Uint8Array.of(1, 2, 0, 3)), 'binary')
  assert.equal(fileFault(new Uint8Array(MAX_CSV_BYTES + 1)), 'too_large')
  assert.equal(fileFault(utf8('a')), undefined)
  const wide = utf8(`${'a,'.repeat(300)}b\n${'1,'.repeat(300)}2\n`)
  assert.equal(await readTable(wide, await guessLayout(wide)), 'too_wide')
  const titles = utf8('number,name\n')
  assert.equal(await readTable(titles, { encoding: 'utf-8', separator: ',', titled: true }), 'empty')
})

test('the column of numbers is found by its contents, the others by their titles', async () => {
  const table = await read(
    utf8(
      'Ref.,Nombre,Contacto,Nº pedido,opted_out\n1,Ana,600 111 222,2026-01-31,false\n2,Luis,600111333,,\n',
    ),
  )
  assert.deepEqual(guessMapping(table, TARGETS, 30), ['field:Ref', 'name', 'number', 'field:Nº_pedido', ''])
})

test('of two columns with numbers the one with the title of a number counts, and without any none', async () => {
  const both = await read(utf8('dni,movil\n12345678,600111222\n87654321,600111333\n'))
  assert.deepEqual(guessMapping(both, TARGETS, 30), ['field:dni', 'number'])
  const none = await read(utf8('nombre,ciudad\nAna,Vigo\n'))
  assert.deepEqual(guessMapping(none, TARGETS, 30), ['name', 'field:ciudad'])
})

test('names of fields are made from titles, each once, and only as many as a contact may have', async () => {
  const table = await read(utf8('tel,number,2º apellido,Ciudad,ciudad \n600111222,7,x,Vigo,Lugo\n'))
  assert.deepEqual(guessMapping(table, TARGETS, 30), [
    'number',
    'field:number_2',
    'field:_2º_apellido',
    'field:Ciudad',
    'field:ciudad',
  ])
  const titles = Array.from({ length: 200 }, (_, n) => `c${n}`).join(',')
  const wide = await read(utf8(`tel,${titles}\n600111222${',x'.repeat(200)}\n`))
  const choices = guessMapping(wide, TARGETS, 30)
  assert.equal(choices.filter((choice) => choice.startsWith('field:')).length, 30)
  assert.equal(choices.length, 201)
})

test('a row gives its targets and its fields, without empty ones', () => {
  const row = { line: 2, cells: ['600111222', '', 'Vigo', 'left out'] }
  assert.deepEqual(readRow(row, ['number', 'name', 'field:city', '', 'field:more']), {
    values: { number: '600111222' },
    fields: { city: 'Vigo' },
  })
})

test('a file that is written has no formula and is read again as it was', async () => {
  const file = writeCsv([
    ['tel', 'note'],
    ['600111222', '=1+1'],
    ['+34600111333', 'a "b", c\nd'],
  ])
  const bytes = new Uint8Array(await file.arrayBuffer())
  assert.match(Buffer.from(bytes).toString(), /^\uFEFFtel,note\r\n600111222,"'=1\+1"\r\n/)
  assert.deepEqual(
    (await read(bytes)).rows.map(({ cells }) => cells),
    [
      ['600111222', '=1+1'],
      ['+34600111333', 'a "b", c\nd'],
    ],
  )
})
