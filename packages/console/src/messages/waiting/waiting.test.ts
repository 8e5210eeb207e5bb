import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Waiting } from '@sdd/contract/dispatch/waiting.ts'
import { waitingCodes } from '@sdd/contract/dispatch/waiting.ts'
import { waiting as english, sentences as englishSentences } from './text.en.ts'
import { sentences as spanishSentences } from './spanish.ts'
import { waiting as spanish } from './text.es.ts'
import { waiting } from './text.ts'
import { waitingReason } from './waiting.ts'

const at = '2026-06-10T08:00:00.000Z'
const since = '2026-06-10T07:00:00.000Z'
const expires_at = '2026-06-11T08:00:00.000Z'
const device = 'drone-1'
const none = { offline: 0, disabled: 0, at_limit: 0, quarantined: 0, device: null, number: null, at, since }

const examples: Waiting[] = [
  { code: 'sending_off', params: { since, expires_at } },
  { code: 'sending_hours', params: { until: at, at, class: 'marketing' } },
  { code: 'campaign_paused', params: {} },
  { code: 'usual_device', params: { device, until: at } },
  { code: 'not_before', params: { at } },
  { code: 'retry', params: { attempt: 1, device: null, at } },
  { code: 'retry', params: { attempt: 2, device, at } },
  { code: 'no_device', params: { expires_at } },
  { code: 'no_sim', params: { number: '+34600111222', expires_at } },
  { code: 'none_can', params: { ...none, devices: 1, offline: 1, device, expires_at } },
  { code: 'route', params: { tag: 'north', expires_at } },
  { code: 'route', params: { tag: 'north', number: '+34600111222', expires_at } },
  { code: 'route', params: { tag: null, expires_at } },
  { code: 'none_can', params: { ...none, devices: 2, offline: 2, tag: 'north', expires_at } },
  { code: 'none_can', params: { ...none, devices: 3, offline: 3, expires_at } },
  { code: 'none_can', params: { ...none, devices: 3, offline: 3, since: null, expires_at } },
  { code: 'none_can', params: { ...none, devices: 3, offline: 2, disabled: 1, expires_at } },
  { code: 'none_can', params: { ...none, devices: 2, at_limit: 2, number: '+34600111222', expires_at } },
  { code: 'none_can', params: { ...none, devices: 2, at_limit: 2, at: null, expires_at } },
  { code: 'none_can', params: { ...none, devices: 2, offline: 1, quarantined: 1, expires_at } },
  { code: 'none_can', params: { ...none, devices: 1, quarantined: 1, device, at: null, expires_at } },
  { code: 'none_can', params: { ...none, devices: 2, at_limit: 1, maintenance: 1, at: null, expires_at } },
  { code: 'maintenance', params: { device, at } },
  { code: 'plan_used', params: { iccid: '8934561100000000011', at } },
  { code: 'plan_used', params: { iccid: '8934561100000000011', at, valid_until: '2026-06-01' } },
  { code: 'none_can', params: { ...none, devices: 2, plan_used: 1, quarantined: 1, expires_at } },
  { code: 'over_limits', params: { parts: 3, most: 2 } },
  { code: 'no_room', params: { parts: 3, at } },
  { code: 'window_full', params: { window: 10, waiting: 1 } },
  { code: 'window_full', params: { window: 10, waiting: 12 } },
  { code: 'pacing', params: { every_secs: 5, at, waiting: 2 } },
  { code: 'next', params: { since, waiting: 1 } },
  { code: 'device_unlinked', params: {} },
  { code: 'device_offline', params: { device, since, expires_at } },
  { code: 'device_disabled', params: { device, since, expires_at } },
  { code: 'device_limit', params: { device, sent: 9, limit: 9, at } },
  { code: 'over_device_limit', params: { device, parts: 3, limit: 2 } },
  { code: 'retry_at', params: { at } },
  { code: 'device_window', params: { device, window: 10 } },
  { code: 'device_pacing', params: { device, every_secs: 5, at, waiting: 3 } },
  { code: 'device_next', params: { device, since } },
  { code: 'unconfirmed', params: { device, since, again_at: at } },
  { code: 'unconfirmed', params: { device, since, again_at: null, offline_since: since, expires_at } },
  { code: 'unconfirmed', params: { device, since, again_at: null, off_since: since, expires_at } },
  { code: 'unconfirmed', params: { device, since, again_at: null, disabled_since: since, expires_at } },
  { code: 'unconfirmed', params: { device, since, again_at: null, maintenance_until: at, expires_at } },
  { code: 'accepted', params: { device, since } },
  { code: 'accepted', params: { device, since, offline_since: since } },
  { code: 'discarding', params: { device, since, offline_since: since } },
]

test('each reason to wait has a whole sentence in Spanish and in English', () => {
  assert.deepEqual(new Set(examples.map(({ code }) => code)), new Set(waitingCodes))
  assert.deepEqual(Object.keys(englishSentences).sort(), waitingCodes.toSorted())
  assert.deepEqual(Object.keys(spanishSentences).sort(), waitingCodes.toSorted())
  for (const { code, params } of examples) {
    const fields = { waiting_for: 'The server’s sentence.', waiting_code: code, waiting_params: params }
    const said = [spanish.sentence(fields), english.sentence(fields)]
    assert.equal(waiting.sentence(fields), said[0], 'the usual wording has the Spanish sentence')
    assert.notEqual(said[0], said[1])
    for (const sentence of said) {
      assert.match(sentence ?? '', /^[^“«].*\.$/, code)
      assert.doesNotMatch(sentence ?? '', /undefined|null|NaN|\.\.|server/, code)
    }
  }
})

test('a reason that the console does not know is quoted, and a message that does not wait has none', () => {
  const unknown = {
    waiting_for: 'It waits.',
    waiting_code: 'new_code' as Waiting['code'],
    waiting_params: {},
  }
  assert.equal(waiting.sentence(unknown), 'It waits.')
  assert.equal(spanish.sentence(unknown), '«It waits.»')
  assert.equal(english.sentence(unknown), '“It waits.”')
  const nothing = { waiting_for: null, waiting_code: null, waiting_params: null }
  for (const { sentence } of [waiting, spanish, english]) {
    assert.equal(sentence(nothing), undefined)
    assert.equal(sentence({}), undefined)
  }
})

test('a reason is told in a few words if all devices share it, unless the sentence says more', () => {
  const brief = (waiting_code: Waiting['code'], waiting_params = {}) =>
    waitingReason({ waiting_code, waiting_params })
  assert.equal(brief('none_can', { devices: 2, offline: 0, disabled: 2, at_limit: 0 }), 'device_disabled')
  assert.equal(brief('none_can', { devices: 2, offline: 1, disabled: 1, at_limit: 0 }), undefined)
  assert.equal(brief('device_limit'), 'daily_limit')
  assert.equal(brief('retry'), undefined, 'which attempt failed matters')
  assert.equal(brief('new_code' as Waiting['code']), undefined)
  assert.equal(waitingReason({}), undefined)
})
