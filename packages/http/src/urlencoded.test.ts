import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPairs } from './pairs.ts'

test('names and values are decoded, plus is a space, and what is not there is empty', () => {
  assert.deepEqual(readPairs('username=N%C3%BAria+L&password=a%3Db%26c=d&remember&&=x&é=ñ'), {
    username: 'Núria L',
    password: 'a=b&c=d',
    remember: '',
    '': 'x',
    é: 'ñ',
  })
  assert.deepEqual(readPairs(''), {})
})

test('what the browser writes is read back', () => {
  const written = { text: '100 % "sí" + <b>&amp;</b>\r\n😀', uid: 'a/b?c#d' }
  assert.deepEqual(readPairs(new URLSearchParams(written).toString()), written)
})

test('a name that is given more than once has all its values', () => {
  assert.deepEqual(readPairs('a=1&b=2&a=3&a'), { a: ['1', '3', ''], b: '2' })
})

test('names of the language are names like any other', () => {
  const pairs = readPairs('__proto__=1&constructor=2&toString=3')
  assert.deepEqual(Object.entries(pairs), [
    ['__proto__', '1'],
    ['constructor', '2'],
    ['toString', '3'],
  ])
  assert.equal(Object.getPrototypeOf(pairs), Object.prototype)
})

test('an escape that is cut off or is not UTF-8 is malformed', () => {
  for (const text of ['a=%', 'a=%4', 'a=%zz', '%ff=1', 'a=%C3%28', 'a=%ED%A0%80', 'a=%C0%AF']) {
    assert.throws(() => readPairs(text), { code: 'malformed' }, text)
  }
})

test('a thousand fields are read, and more are malformed', () => {
  assert.equal(
    Object.keys(readPairs(Array.from({ length: 1_000 }, (_, n) => `f${n}=`).join('&'))).length,
    1_000,
  )
  assert.throws(() => readPairs('&'.repeat(1_000)), { code: 'malformed' })
})
