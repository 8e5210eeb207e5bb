import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findLongSentences, findPhrases, PHRASES } from './prose.ts'

const ROOT = join(import.meta.dirname, '..')

test('each phrase is found in comments, in titles of tests and in pages, and not in code', () => {
  const found = findPhrases(join(import.meta.dirname, 'fixtures/prose'), ['*.ts'], ['*.md'])
  assert.deepEqual(
    found.map(({ place, phrase }) => `${place} ${phrase}`),
    [
      'bad.ts:2 where there',
      'bad.ts:2 what waits',
      'bad.ts:3 who comes',
      'bad.ts:3 of whom',
      'bad.ts:3 so long as',
      'bad.ts:3 anew',
      'bad.ts:3 Nobody',
      'bad.ts:3 alone',
      'bad.ts:7 what was',
      'bad.ts:7 Beside',
      'bad.ts:9 whoever',
      'bad.ts:9 hardly',
      'bad.ts:9 is to be',
      'bad.ts:9 the one that',
      'bad.ts:12 so often that',
      'bad.ts:16 nobody',
      'bad.ts:18 who waits',
      'bad.md:3 of others',
      'bad.md:3 shall',
    ],
  )
  const unseen = PHRASES.filter(({ phrase }) => !found.some((one) => phrase.test(one.phrase)))
  assert.deepEqual(
    unseen.map(({ phrase }) => phrase.source),
    [],
  )
})

test('each sentence of a page with more than 30 words is found, and tables are left out', () => {
  const found = findLongSentences(join(import.meta.dirname, 'fixtures/prose'), ['*.md'])
  assert.deepEqual(
    found.map(({ place, instead }) => `${place} ${instead}`),
    ['bad.md:5 32 words; at most 30'],
  )
})

test('no comment, title of a test or page has such a phrase', () => {
  assert.deepEqual([...findPhrases(ROOT), ...findLongSentences(ROOT)], [])
})
