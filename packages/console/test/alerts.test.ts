import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleChannels, exampleRules } from './example-alerts.ts'
import { channelDraftOf, channelFaults, channelSettingsOf } from '#console/outward/alerts/channel-draft.ts'
import { dutyHours, dutyOf, hoursOfDuty } from '#console/outward/alerts/duty-hours.ts'
import { failingChannels } from '#console/outward/alerts/failing.ts'
import { numberIn, rangeOf } from '#console/outward/alerts/number-in.ts'

test('a failing channel is named with the rules that tell no other that works', () => {
  const [found, ...others] = failingChannels(exampleChannels, exampleRules)
  assert.deepEqual(others, [])
  assert.equal(found?.channel.id, 2)
  assert.deepEqual(
    found.rules.map(({ id }) => id),
    [3],
  )
  const off = exampleRules.map((rule) => ({ ...rule, enabled: false }))
  assert.deepEqual(failingChannels(exampleChannels, off)[0]?.rules, [])
})

test('a threshold is a number in its range, with a comma only if the condition has decimals', () => {
  assert.equal(numberIn(' 2,5 ', rangeOf('balance_low')!), 2.5)
  assert.equal(numberIn('2,5', rangeOf('queue_age')!), undefined)
  assert.equal(numberIn('0', rangeOf('queue_age')!), undefined)
  assert.equal(numberIn('1440', rangeOf('queue_age')!), 1_440)
  assert.equal(numberIn('', rangeOf('device_away')!), undefined)
  assert.equal(rangeOf('device_quarantined'), undefined)
})

test('the offered duty hours are recognised, and others are not', () => {
  for (const name of dutyHours) assert.equal(dutyOf(hoursOfDuty(name)), name)
  assert.equal(dutyOf({ ...hoursOfDuty('office')!, holidays: ['2026-12-25'] }), undefined)
})

test('only the fields of a kind are sent, and neither an unchanged address nor an untyped token', () => {
  const telegram = exampleChannels.find(({ kind }) => kind === 'telegram')!
  const draft = channelDraftOf(telegram)
  assert.deepEqual(channelSettingsOf(draft, telegram), { chat_id: '-100200300' })
  assert.deepEqual(channelSettingsOf({ ...draft, url: 'https://t.example.org', token: 'x' }, telegram), {
    url: 'https://t.example.org',
    chat_id: '-100200300',
    token: 'x',
  })
  const ntfy = exampleChannels.find(({ kind }) => kind === 'ntfy')!
  assert.equal(channelSettingsOf({ ...channelDraftOf(ntfy), tokenless: true }, ntfy).token, null)
  const mail = { ...channelDraftOf(undefined), to: 'a@b.org; c@d.org' }
  assert.deepEqual(channelSettingsOf(mail, undefined), { to: ['a@b.org', 'c@d.org'] })
})

test('each kind names what it lacks', () => {
  const empty = channelDraftOf(undefined)
  const missing = (kind: typeof empty.kind) =>
    Object.entries(channelFaults({ ...empty, kind }, undefined))
      .filter(([, said]) => said)
      .map(([field]) => field)
  assert.deepEqual(missing('email'), ['name', 'settings.to'])
  assert.deepEqual(missing('sms'), ['name', 'settings.to'])
  assert.deepEqual(missing('webhook'), ['name', 'settings.url'])
  assert.deepEqual(missing('telegram'), ['name', 'settings.chat_id', 'settings.token'])
  assert.deepEqual(missing('ntfy'), ['name', 'settings.topic'])
})
