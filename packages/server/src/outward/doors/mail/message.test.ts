import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMail, Undecodable } from './message.ts'

const read = (...lines: (string | Buffer)[]) =>
  readMail(Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), Buffer.from('\r\n')])))

test('the text of a plain mail is its body, without a signature and blanks at the end', () => {
  const mail = read('Message-ID: <1@x>', 'Subject: hi', '', 'one', 'two  ', '', '-- ', 'Ana, CEO')
  assert.deepEqual(mail, { message_id: '<1@x>', text: 'one\ntwo', subject: 'hi', html_alone: false })
})

test('the first plain part counts, wherever it is; attachments do not', () => {
  const { text } = read(
    'Content-Type: multipart/mixed; boundary="=_a.b+c"',
    '',
    'A preamble',
    '--=_a.b+c',
    'Content-Type: text/plain',
    'Content-Disposition: attachment; filename=x.txt',
    '',
    'attached',
    '--=_a.b+c',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/html',
    '',
    '<p>HTML</p>',
    '--inner',
    'Content-Type: TEXT/plain; charset=utf-8',
    '',
    'plain',
    '--inner--',
    '--=_a.b+c--',
    'an epilogue',
  )
  assert.equal(text, 'plain')
})

test('transfer encodings and charsets are decoded', () => {
  const plain = (charset: string, encoding: string, body: string | Buffer) =>
    read(`Content-Type: text/plain; charset=${charset}`, `Content-Transfer-Encoding: ${encoding}`, '', body)
      .text
  assert.equal(plain('utf-8', 'base64', Buffer.from('mañana ☺').toString('base64')), 'mañana ☺')
  assert.equal(plain('iso-8859-1', 'quoted-printable', 'ma=F1ana =\r\nser=E1'), 'mañana será')
  assert.equal(plain('"windows-1252"', '8bit', Buffer.from([0x80, 0x35])), '€5')
  assert.equal(plain('us-ascii', '7bit', Buffer.from('é')), 'é')
  assert.throws(() => plain('klingon', '7bit', 'x'), Undecodable)
  assert.throws(() => plain('utf-8', 'uuencode', 'x'), Undecodable)
  assert.throws(() => plain('utf-8', '8bit', Buffer.from([0xff])), Undecodable)
})

test('lines that were wrapped to be sent are joined again', () => {
  const flowed = 'Content-Type: text/plain; format=flowed'
  assert.equal(
    read(flowed, '', 'a long ', 'line', ' >not a quote', '-- ', 'Ana').text,
    'a long line\n>not a quote',
  )
  assert.equal(read(`${flowed}; delsp=yes`, '', 'lo ', 'ng').text, 'long')
})

test('a subject is decoded, and a mail with only HTML is told apart', () => {
  const { subject, text, html_alone } = read(
    'Subject: =?utf-8?B?bWHDsQ==?= =?iso-8859-1?q?ana_=E1?= x',
    'Content-Type: text/html',
    '',
    '<p>x</p>',
  )
  assert.deepEqual({ subject, text, html_alone }, { subject: 'mañana á x', text: '', html_alone: true })
  assert.equal(read('Subject: ma\u00f1ana', '').subject, 'mañana')
  assert.equal(read('Subject: one', ' two', '').subject, 'one two')
})
