import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedStates, type Campaign, type CampaignCounts } from '@sdd/contract/people/campaigns.ts'
import { noteOf } from './note.ts'
import { inOrder, ranksOf } from './order.ts'
import { beginOf, lastHanded, moveOf, phaseOf, progressOf, shownParts } from './progress.ts'
import { about, dayAndHour, hourBeside, spanText } from './when.ts'

const none = Object.fromEntries(countedStates.map((state) => [state, 0])) as CampaignCounts
const campaign = (id: number, rest: Partial<Campaign> = {}) =>
  ({
    id,
    state: 'running',
    rows: 0,
    counts: none,
    waiting_code: null,
    limited_by: null,
    started_at: null,
    not_before: null,
    paused_at: null,
    paused_by: null,
    ...rest,
  }) as Campaign
const NOW = new Date(2026, 10, 24, 16, 0).getTime()
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).toISOString()

test('what runs or is paused comes first, then scheduled ones, drafts and the past, each newest first', () => {
  const rows = [
    campaign(1, { state: 'finished' }),
    campaign(2),
    campaign(3, { state: 'draft' }),
    campaign(4, { state: 'stopped' }),
    campaign(5, { state: 'scheduled' }),
    campaign(6, { state: 'paused' }),
  ]
  const ranks = ranksOf(rows, {})
  const order = (list: Campaign[]) => inOrder(list, ranksOf(list, ranks)).map(({ id }) => id)
  assert.deepEqual(order(rows), [6, 2, 5, 3, 4, 1])
  const ended = rows.map((row) => (row.id === 6 ? { ...row, state: 'finished' as const } : row))
  assert.deepEqual(order([...ended, campaign(7)]), [7, 6, 2, 5, 3, 4, 1], 'one that ends keeps its place')
})

test('shares are of the messages that are done, without the rows that are never sent', () => {
  const counts = {
    ...none,
    delivered: 80,
    sent: 5,
    failed: 10,
    uncertain: 5,
    handed: 2,
    queued: 3,
    pending: 90,
    skipped: 5,
  }
  assert.deepEqual(progressOf({ rows: 200, counts }), {
    total: 195,
    done: 100,
    left: 93,
    delivered: 0.8,
    failed: 0.1,
  })
  assert.equal(progressOf({ rows: 5, counts: none }).failed, undefined)
  assert.deepEqual(shownParts(none), ['delivered', 'sent', 'failed', 'handed', 'queue'])
  assert.ok(shownParts(counts).includes('uncertain'))
})

test('a move of the end is told from ten minutes on', () => {
  assert.equal(moveOf(at(24, 20), at(24, 20, 9)), undefined)
  assert.equal(moveOf(at(24, 20), at(24, 18, 30)), 90 * 60_000)
  assert.equal(moveOf(at(24, 20), null), undefined)
})

test('a campaign that runs may wait, and one begins when it was to begin', () => {
  assert.equal(phaseOf(campaign(1, { waiting_code: 'no_device' }), NOW), 'waiting')
  assert.equal(phaseOf(campaign(1, { state: 'paused', waiting_code: 'campaign_paused' }), NOW), 'paused')
  const rows = (hour: number, minute: number) =>
    campaign(1, { waiting_code: 'not_before', waiting_params: { at: at(24, hour, minute) } })
  assert.deepEqual([phaseOf(rows(16, 5), NOW), phaseOf(rows(17, 0), NOW)], ['running', 'waiting'])
  const started_at = at(24, 10)
  assert.equal(beginOf(campaign(1, { started_at, not_before: at(24, 12) })), at(24, 12))
  assert.equal(beginOf(campaign(1, { started_at, not_before: at(24, 9) })), started_at)
  assert.equal(beginOf(campaign(1, { state: 'draft', not_before: at(24, 12) })), undefined)
})

test('a second line appears only if there is something to know, and is bad only if someone must act', () => {
  const note = (rest: Partial<Campaign>) => noteOf(campaign(1, rest), NOW)
  assert.equal(note({}), undefined)
  assert.equal(note({ state: 'finished' }), undefined)
  assert.deepEqual(note({ state: 'paused', paused_at: at(24, 11, 52), paused_by: 'Ana' }), {
    said: 'En pausa por Ana a las 11:52',
    bad: false,
  })
  assert.equal(note({ waiting_code: 'no_device' })?.bad, true)
  assert.equal(note({ waiting_code: 'sending_off' })?.bad, true)
  const limit = {
    waiting_code: 'none_can',
    waiting_params: { at_limit: 2, at: at(25, 0) },
  } as unknown as Partial<Campaign>
  assert.deepEqual(note(limit), { said: 'Límite diario alcanzado; sigue mañana a las 00:00', bad: false })
  const failed = { rows: 10, counts: { ...none, delivered: 9, failed: 1 } }
  assert.deepEqual(note({ state: 'stopped', ...failed }), {
    said: 'Detenida: 10\u202f% de fallos',
    bad: true,
  })
  assert.equal(note({ state: 'stopped', rows: 10, counts: { ...none, delivered: 10 } }), undefined)
})

test('a day other than today is named', () => {
  assert.equal(dayAndHour(at(24, 13, 45), NOW), 'hoy 13:45')
  assert.equal(dayAndHour(at(23, 17), NOW), 'ayer 17:00')
  assert.equal(dayAndHour(at(10, 9), NOW), 'mar 10/11 09:00')
  assert.equal(about(at(24, 20, 10), NOW), 'hacia las 20:10')
  assert.equal(about(at(25, 11, 30), NOW), 'mañana hacia las 11:30')
  assert.equal(hourBeside(at(10, 13), Date.parse(at(10, 9)), NOW), '13:00')
  assert.deepEqual([10_000, 35 * 60_000, 155 * 60_000, 120 * 60_000, 26 * 3_600_000].map(spanText), [
    '1 min',
    '35 min',
    '2 h 35 min',
    '2 h',
    '1 d 2 h',
  ])
})

test('the last messages are in the devices if a running campaign has none left to give', () => {
  const one = (counts: Partial<CampaignCounts>, state: Campaign['state'] = 'running') =>
    lastHanded({ state, counts: { ...none, ...counts } })
  assert.equal(one({ handed: 2, delivered: 5 }), true)
  assert.equal(one({ handed: 2, queued: 1 }), false)
  assert.equal(one({ delivered: 5 }), false)
  assert.equal(one({ handed: 2 }, 'paused'), false)
})
