import assert from 'node:assert/strict'
import test from 'node:test'
import { csvLine, escapeFormula } from './csv.ts'

test('cells are separated by commas and lines end in CRLF', () => {
  assert.equal(csvLine([1, 'two', null, '', 'á €']), '1,two,,,á €\r\n')
})

test('a cell with a comma, a quote or a line break is quoted, and its quotes are doubled', () => {
  assert.equal(
    csvLine(['a,b', 'say "hi"', 'one\ntwo', 'three\r\n']),
    '"a,b","say ""hi""","one\ntwo","three\r\n"\r\n',
  )
})

test('a text that begins like a formula gets an apostrophe, and other texts stay as they are', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '\0=1', '＝1'])
    assert.equal(escapeFormula(text), `'${text}`)
  for (const text of ['', 'a=b', "'=1", '1-2']) assert.equal(escapeFormula(text), text)
})

test('a formula after any possible cell separator is escaped too', () => {
  assert.equal(escapeFormula(`Gracias;=HYPERLINK("http://evil")`), `Gracias;'=HYPERLINK("http://evil")`)
  assert.equal(escapeFormula('one\n=1\r\n@x\t+1'), "one\n'=1\r\n'@x\t'+1")
  assert.equal(escapeFormula('a,=1,+2'), "a,'=1,'+2")
  assert.equal(escapeFormula('\t=1'), "'\t'=1")
  for (const text of ['a; b', 'a;b=c', 'one\ntwo - three', 'a, b-c', '1,5', 'a;b,c+d'])
    assert.equal(escapeFormula(text), text)
})

test('a formula after blanks and quotes is escaped too', () => {
  assert.equal(escapeFormula(' =1'), " '=1")
  assert.equal(escapeFormula('; =1+1'), "; '=1+1")
  assert.equal(escapeFormula('a, -b'), "a, '-b")
  assert.equal(escapeFormula('"=1"'), `"'=1"`)
  assert.equal(escapeFormula('a; " @x'), `a; " '@x`)
  assert.equal(escapeFormula('\u00a0\u200b+1'), "\u00a0\u200b'+1")
  // It already has its apostrophe.
  for (const text of ["'=1", ";'=1"]) assert.equal(escapeFormula(text), text)
  assert.equal(escapeFormula("' =1"), "' '=1")
})

test('a long text of blanks, quotes and signs is escaped quickly', () => {
  for (const piece of [' ', '"', ' "', '= ', '+', ';=', ', ']) {
    const begun = process.cpuUsage()
    escapeFormula(piece.repeat(50_000))
    assert.ok(process.cpuUsage(begun).user < 1_000_000, JSON.stringify(piece))
  }
})
