import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStopWord } from './stop-words.ts'

const WORDS = ['STOP', 'BAJA', 'No más', 'ΤΈΛΟΣ', '112']

test('an SMS with only a stop word blocks, in any case, with or without accents, whatever signs surround it', () => {
  const said = ['STOP', 'stop', ' Stop. ', '¡Baja!', '"BAJA"', 'stop 🙏', '\u200bSTOP\n', 'ＳＴＯＰ', '112']
  for (const text of [...said, 'NO MAS', 'no  máś', 'no\nmas', 'τελος'])
    assert.ok(isStopWord(text, WORDS), JSON.stringify(text))
})

test('any other text does not block, even if it contains a stop word', () => {
  const said = ['STOP IT', 'no stop', 'stopp', 'bajada', 'B A J A', 'mas', '', ' ', '...', '🙏', '1 12']
  for (const text of said) assert.ok(!isStopWord(text, WORDS), JSON.stringify(text))
  assert.ok(!isStopWord('STOP', []))
  assert.ok(!isStopWord('!', ['!']), 'a sign is not a word')
})

test('a long text of punctuation is scanned once', () => {
  const long = `${'.'.repeat(5_000)}a${'.'.repeat(5_000)}`
  assert.ok(isStopWord(long, ['A']))
  assert.ok(!isStopWord('. '.repeat(5_000), WORDS))
})
