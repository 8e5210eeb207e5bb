import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleAlert, exampleChannels, exampleRules } from './example-alerts.ts'
import { groupAlerts, inAlertOrder, keepInPlace } from '#console/app/alerts/groups.ts'
import { toldChannels } from '#console/app/alerts/told.ts'
import { channelDraftOf, channelFaults, channelSettingsOf } from '#console/outward/alerts/channel-draft.ts'
import {
  dutyDraftOf,
  dutyFaults,
  dutyHours,
  dutyOf,
  hoursOfDraft,
  hoursOfDuty,
} from '#console/outward/alerts/duty-hours.ts'
import { hoursSummary } from '#console/accounts/hours/hours.ts'
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
  assert.equal(numberIn('1.500', rangeOf('balance_low')!), undefined)
  assert.equal(numberIn('1.000', rangeOf('queue_age')!), undefined)
  assert.equal(rangeOf('device_quarantined'), undefined)
})

test('the offered duty hours are recognised, and others are not', () => {
  for (const name of dutyHours) assert.equal(dutyOf(hoursOfDuty(name)), name)
  assert.equal(dutyOf({ ...hoursOfDuty('office')!, holidays: ['2026-12-25'] }), undefined)
})

test('the hours of a rule come back unchanged from its form, and own ones begin as the present ones', () => {
  const night = {
    windows: [
      { days: ['mon' as const, 'tue' as const, 'wed' as const, 'fri' as const], from: '22:00', to: '06:00' },
      { days: ['sat' as const], from: '00:00', to: '24:00' },
    ],
    zone: 'Pacific/Chatham',
    holidays: ['2026-12-25'],
  }
  for (const hours of [null, hoursOfDuty('everyDay'), night])
    assert.deepEqual(hoursOfDraft(dutyDraftOf(hours, false)), hours)
  assert.deepEqual(hoursOfDraft(dutyDraftOf(night, true)), night)
  assert.deepEqual(hoursOfDraft(dutyDraftOf(null, true)), hoursOfDuty('office'))
  assert.equal(hoursSummary(night), 'L–X V 22:00–06:00, S 00:00–24:00 · Pacific/Chatham · 1 festivo')
  const own = dutyDraftOf(night, false)
  const wrong = { ...own, own: { ...own.own, zone: 'recipients' } }
  assert.deepEqual(
    Object.keys(dutyFaults(wrong)).filter((name) => dutyFaults(wrong)[name]),
    ['hours.zone'],
  )
  assert.deepEqual(dutyFaults({ ...wrong, chosen: 'office' }), {})
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

test('an emptied server of a channel is sent as the usual one, if it was another', () => {
  const ntfy = exampleChannels.find(({ kind }) => kind === 'ntfy')!
  const own = { ...ntfy, settings: { ...ntfy.settings, url: 'https://ntfy.example.org' } }
  const emptied = { ...channelDraftOf(own), url: ' ' }
  assert.equal(channelSettingsOf(emptied, own).url, 'https://ntfy.sh')
  assert.equal(channelSettingsOf(emptied, ntfy).url, undefined)
  assert.equal(channelSettingsOf(emptied, undefined).url, undefined)
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

const at = (secs: number) => new Date(Date.UTC(2026, 10, 26) + secs * 1_000).toISOString()
const alertAt = (id: number, secs: number, rest: Parameters<typeof exampleAlert>[1] = {}) =>
  exampleAlert(id, { since: at(secs), ...rest })

test('alerts of a rule that open within the joining time of the first are one, in the order of the list', () => {
  const other = { id: 2, condition: 'queue_age', value: 5 } as const
  const alerts = [
    alertAt(5, 26),
    alertAt(4, 8, { rule: other }),
    alertAt(3, 15),
    alertAt(2, 5),
    alertAt(1, 10),
  ]
  assert.deepEqual(
    groupAlerts(alerts, 10).map(({ key, alerts }) => [key, ...alerts.map(({ id }) => id)]),
    [
      [5, 5],
      [4, 4],
      [2, 2, 1, 3],
    ],
  )
  assert.equal(groupAlerts(alerts, 0).length, 5)
})

test('alerts that no user acknowledged come first, the oldest of them before the others', () => {
  const acknowledged = { acknowledged_at: at(99), acknowledged_by: { id: 1, name: 'Ana' } }
  const alerts = [alertAt(3, 30), alertAt(2, 20), alertAt(1, 10, acknowledged)]
  assert.deepEqual(
    inAlertOrder(alerts).map(({ id }) => id),
    [2, 3, 1],
  )
})

test('in a list that is shown an alert keeps its place, is resolved there, and new ones come last', () => {
  const shown = [alertAt(2, 20), alertAt(1, 10)]
  const open = [alertAt(3, 5), alertAt(1, 10, { acknowledged_at: at(40) })]
  const kept = keepInPlace(shown, open, { full: false, now: at(50) })
  assert.deepEqual(
    kept.map(({ id, resolved_at, acknowledged_at }) => [id, resolved_at, acknowledged_at]),
    [
      [2, at(50), null],
      [1, null, at(40)],
      [3, null, null],
    ],
  )
  assert.equal(keepInPlace(kept, [], { full: false, now: at(60) })[0]!.resolved_at, at(50))
})

test('an open alert that is older than the alerts of a full answer is not resolved', () => {
  const shown = [alertAt(1, 10), alertAt(3, 30), alertAt(2, 20)]
  const kept = keepInPlace(shown, [alertAt(4, 40), alertAt(2, 20)], { full: true, now: at(50) })
  assert.deepEqual(
    kept.map(({ id, resolved_at }) => [id, resolved_at]),
    [
      [1, null],
      [3, at(50)],
      [2, null],
      [4, null],
    ],
  )
})

test('the latest message of each channel says whether it was told, and its end does not count', () => {
  const told = (channel: number, event: 'opened' | 'repeated' | 'resolved', delivered: boolean | null) => ({
    channel,
    event,
    delivered,
    at: null,
    tries: 1,
    detail: null,
  })
  const alert = {
    told: [
      told(1, 'opened', false),
      told(1, 'repeated', true),
      told(2, 'opened', null),
      told(3, 'opened', false),
      told(3, 'resolved', true),
    ],
  }
  const { told: ids, waiting, lost } = toldChannels([alert])
  assert.deepEqual([ids, waiting, lost.map(({ channel }) => channel)], [[1], [2], [3]])
})
