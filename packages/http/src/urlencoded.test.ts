import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUrlencoded } from './urlencoded.ts'

test('names and values are decoded, a plus is a space, and a missing value is empty', () => {
  assert.deepEqual(readUrlencoded('username=N%C3%BAria+L&password=a%3Db%26c=d&remember&&=x&é=ñ'), {
    username: 'Núria L',
    password: 'a=b&c=d',
    remember: '',
    '': 'x',
    é: 'ñ',
  })
  assert.deepEqual(readUrlencoded(''), {})
})

test('a form that a browser writes is read back', () => {
  const written = { text: '100 % "sí" + <b>&amp;</b>\r\n😀', uid: 'a/b?c#d' }
  assert.deepEqual(readUrlencoded(new URLSearchParams(written).toString()), written)
})

test('a name that is given more than once has all its values', () => {
  assert.deepEqual(readUrlencoded('a=1&b=2&a=3&a'), { a: ['1', '3', ''], b: '2' })
})

test('names like those of object properties are ordinary names', () => {
  const fields = readUrlencoded('__proto__=1&constructor=2&toString=3')
  assert.deepEqual(Object.entries(fields), [
    ['__proto__', '1'],
    ['constructor', '2'],
    ['toString', '3'],
  ])
  assert.equal(Object.getPrototypeOf(fields), Object.prototype)
})

test('an escape that is incomplete or not UTF-8 is malformed', () => {
  for (const text of ['a=%', 'a=%4', 'a=%zz', '%ff=1', 'a=%C3%28', 'a=%ED%A0%80', 'a=%C0%AF']) {
    assert.throws(() => readUrlencoded(text), { code: 'malformed' }, text)
  }
})

test('a thousand fields are read, and more are malformed', () => {
  assert.equal(
    Object.keys(readUrlencoded(Array.from({ length: 1_000 }, (_, n) => `f${n}=`).join('&'))).length,
    1_000,
  )
  assert.throws(() => readUrlencoded('&'.repeat(1_000)), { code: 'malformed' })
})
