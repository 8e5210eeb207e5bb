import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastErrorParams, type LastErrorCode } from '@sdd/contract/outward/callbacks.ts'
import { callbacks as en } from './text.en.ts'
import { callbacks as es } from './text.es.ts'
import { callbacks as specified } from './text.ts'

const facts = { status: 301, reason: 'ECONNRESET', secs: 15, host: 'crm.example.com', text: 'Dead.' }

function failed(code: LastErrorCode | null) {
  return { last_error: 'Why.', last_error_code: code, last_error_params: code && facts }
}

for (const [language, { lastError }] of Object.entries({ es, en, 'the default wording': specified })) {
  test(`each code of a failed delivery has a sentence of its own in ${language}`, () => {
    const codes = Object.keys(lastErrorParams) as LastErrorCode[]
    const sentences = codes.map((code) => lastError(failed(code)) ?? '')
    assert.equal(new Set(sentences).size, codes.length)
    for (const sentence of sentences) {
      assert.match(sentence, /^[^ ].*[.”»]$/)
      assert.doesNotMatch(sentence, /undefined|null|Why/)
    }
  })

  test(`an unknown code of a failed delivery is named in ${language}, and none leaves a general sentence`, () => {
    const unknown = { ...failed('gone'), last_error_code: 'new_code' as LastErrorCode }
    assert.match(lastError(unknown) ?? '', /new_code/)
    assert.match(lastError(failed(null)) ?? '', /^(No llegó|It did not arrive)\.$/)
    assert.equal(lastError({ ...failed(null), last_error: null }), undefined)
  })
}
