import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSentence, sentence } from './sentence.ts'

const given = sentence('{attempt}: given to {device}')
const said = sentence('It said (why?) {text}.')

test('a sentence is written with its facts, and read back with them', () => {
  const text = given.write({ attempt: 2, device: 'drone-1' })
  assert.equal(text, '2: given to drone-1')
  assert.deepEqual({ ...given.read(text) }, { attempt: 2, device: 'drone-1' })
  assert.deepEqual({ ...said.read(said.write({ text: 'a. b\n(c)' })) }, { text: 'a. b\n(c)' })
})

test('another text is not read as this sentence', () => {
  for (const text of ['two: given to drone-1', '2: given to drone 1', ' 2: given to d', ''])
    assert.equal(given.read(text), undefined, text)
  assert.equal(said.read('It said why? x.'), undefined)
})

test('the first of several sentences that fits a text names its code', () => {
  const all = { given, any: sentence('{text}') }
  assert.deepEqual(readSentence(all, '1: given to d'), { code: 'given', params: { attempt: 1, device: 'd' } })
  assert.deepEqual(readSentence(all, 'lost'), { code: 'any', params: { text: 'lost' } })
  assert.equal(readSentence({ given }, 'lost'), undefined)
})
