import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ChannelFault,
  type ChannelFaultCode,
  channelFaultParams,
} from '@sdd/contract/outward/alert-channels.ts'
import { channelFaults as en } from './channel-text.en.ts'
import { channelFaults as es } from './channel-text.ts'

const facts = { status: 301, reason: 'ECONNRESET', secs: 15, host: 'crm.example.com', text: 'Dead.' }
const sms = { state: 'failed', why: 'Why.', why_code: 'no_network', why_params: {} }
const number = '+34600111222'

for (const [language, { why }] of Object.entries({ es, en })) {
  test(`each reason why a channel was not told has a sentence of its own in ${language}`, () => {
    const codes = Object.keys(channelFaultParams) as ChannelFaultCode[]
    const detail_params = { ...facts, ...sms, number, prefix: null }
    const said = codes.map((detail_code) => why({ detail: 'Why.', detail_code, detail_params }) ?? '')
    assert.equal(new Set(said).size, codes.length)
    for (const sentence of said) assert.doesNotMatch(sentence, /^$|undefined|null|Why/)
  })

  test(`the words of the other side stay as they are in ${language}`, () => {
    assert.equal(why({ detail: '550 no such user' }), '550 no such user')
    assert.equal(why({ detail: null }), undefined)
    const unknown = { detail: 'Why.', detail_code: 'new_code', detail_params: {} } as unknown as ChannelFault
    assert.match(why(unknown) ?? '', /new_code/)
  })
}
