import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSpreadsheet, type SheetColumn } from './spreadsheet.ts'

const columns: SheetColumn[] = [
  { label: 'Nº', kind: 'number' },
  { label: 'Destino' },
  { label: 'Enviado', kind: 'time' },
  { label: 'Estado', kind: (state) => ({ sent: 'Enviado' })[state] ?? state },
]
const form = { separator: ';', time: (at: Date) => `at ${at.toISOString().slice(11, 19)}` }

/** The lines of the file, read in pieces of this many bytes. */
async function linesOf(csv: string, size = 1_000): Promise<string[]> {
  const bytes = new TextEncoder().encode(`\uFEFF${csv}`)
  const file = {
    stream: () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (let n = 0; n < bytes.length; n += size) controller.enqueue(bytes.slice(n, n + size))
          controller.close()
        },
      }),
  } as Blob
  return (await (await toSpreadsheet(file, columns, form)).text()).split('\r\n')
}

test('titles, times and words become those of the language, and the separator its own', async () => {
  const csv = 'ID,To,Sent,State\r\n7,+34600111222,2026-11-20T10:00:01.000Z,sent\r\n8,ana,,other\r\n'
  assert.deepEqual(await linesOf(csv), [
    'Nº;Destino;Enviado;Estado',
    '7;"=""+34600111222""";at 10:00:01;Enviado',
    '8;ana;;other',
    '',
  ])
})

test('texts that look like numbers or dates stay texts', async () => {
  for (const text of ['00123', '1E5', '3/4', '12:30', '+34 600 111', '1,5', '10%'])
    assert.equal((await linesOf(`a,b\r\n1,"${text}"\r\n`))[1], `1;"=""${text}"""`, text)
  for (const text of ['3 casas', '', 'EE', "'=1+1"])
    assert.equal((await linesOf(`a,b\r\n1,${text}\r\n`))[1], `1;${text}`)
})

test('quotes, separators and line breaks survive, wherever the pieces of the file are cut', async () => {
  const csv = 'ID,To\r\n1,"a ""b"", c; d\r\né"\r\n2,"""x"""\r\n'
  const whole = await linesOf(csv)
  assert.deepEqual(whole, ['Nº;Destino', '1;"a ""b"", c; d', 'é"', '2;"""x"""', ''])
  for (let size = 1; size < 12; size++) assert.deepEqual(await linesOf(csv, size), whole, `${size} bytes`)
})

test('a column that a newer server adds keeps its title', async () => {
  assert.deepEqual(await linesOf('ID,To,Sent,State,New\r\n1,ana,,sent,x\r\n'), [
    'Nº;Destino;Enviado;Estado;New',
    '1;ana;;Enviado;x',
    '',
  ])
})
