import assert from 'node:assert/strict'
import test from 'node:test'
import { csvLine, harmless } from './csv.ts'

test('cells are parted by commas and lines end in CRLF', () => {
  assert.equal(csvLine([1, 'two', null, '', 'á €']), '1,two,,,á €\r\n')
})

test('a cell with a comma, a quote or a line break is quoted, its quotes doubled', () => {
  assert.equal(
    csvLine(['a,b', 'say "hi"', 'one\ntwo', 'three\r\n']),
    '"a,b","say ""hi""","one\ntwo","three\r\n"\r\n',
  )
})

test('a text that begins like a formula gets an apostrophe, any other is left alone', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '\0=1', '＝1'])
    assert.equal(harmless(text), `'${text}`)
  for (const text of ['', 'a=b', ' =1', "'=1", '1-2']) assert.equal(harmless(text), text)
})

test('what would begin a cell where semicolons part cells is no formula either', () => {
  assert.equal(harmless(`Gracias;=HYPERLINK("http://evil")`), `Gracias;'=HYPERLINK("http://evil")`)
  assert.equal(harmless('one\n=1\r\n@x\t+1'), "one\n'=1\r\n'@x\t'+1")
  for (const text of ['a; b', 'a;b=c', 'one\ntwo - three', 'a, -b']) assert.equal(harmless(text), text)
})
