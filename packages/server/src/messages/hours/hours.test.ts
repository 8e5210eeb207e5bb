import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countries } from '@sdd/contract/core/countries.ts'
import { DEFAULT_HOURS, type Hours, type WeekDay, weekDays } from '@sdd/contract/accounts/sending-hours.ts'
import { closedUntil } from './closed.ts'
import { hoursAt, openMsBetween } from './hours.ts'
import { zonesOf } from './zones.ts'

const MADRID = ['Europe/Madrid']
const everyDay = [...weekDays]

function hours(from: string, to: string, more: { days?: WeekDay[]; holidays?: string[] } = {}): Hours {
  return {
    windows: [{ days: more.days ?? everyDay, from, to }],
    zone: 'recipient',
    holidays: more.holidays ?? [],
  }
}

/** `open`, or when it opens. */
function at(its: Hours, time: string, zones: readonly string[] = MADRID): string {
  const { open, until_ms } = hoursAt(its, zones, Date.parse(time))
  return open ? 'open' : new Date(until_ms).toISOString()
}

test('a window is open from its first minute to just before its last, by the clock on the wall', () => {
  const its = hours('09:00', '20:00')
  assert.equal(at(its, '2026-06-10T06:59:59.999Z'), '2026-06-10T07:00:00.000Z')
  assert.equal(at(its, '2026-06-10T07:00:00.000Z'), 'open')
  assert.equal(at(its, '2026-06-10T17:59:59.999Z'), 'open')
  assert.equal(at(its, '2026-06-10T18:00:00.000Z'), '2026-06-11T07:00:00.000Z')
  assert.equal(at(its, '2026-01-10T07:30:00.000Z'), '2026-01-10T08:00:00.000Z', 'in winter')
})

test('the open time between two moments adds up the parts of all windows', () => {
  const of = (from: string, until: string, zones = MADRID) =>
    openMsBetween(hours('09:00', '20:00'), zones, Date.parse(from), Date.parse(until)) / 3_600_000
  assert.equal(of('2026-06-10T08:00:00Z', '2026-06-10T08:30:00Z'), 0.5)
  assert.equal(of('2026-06-10T16:00:00Z', '2026-06-11T08:00:00Z'), 3)
  assert.equal(of('2026-06-07T00:00:00Z', '2026-06-10T00:00:00Z'), 33)
  assert.equal(of('2026-06-10T18:00:00Z', '2026-06-11T07:00:00Z'), 0)
  assert.equal(of('2026-06-07T00:00:00Z', '2026-06-10T00:00:00Z', ['Europe/Madrid', 'Atlantic/Canary']), 30)
})

test('a window to 24:00 and one from 00:00 join, and days without a window are closed', () => {
  const its: Hours = {
    windows: [
      { days: ['sat'], from: '22:00', to: '24:00' },
      { days: ['sun'], from: '00:00', to: '01:00' },
    ],
    zone: 'recipient',
    holidays: [],
  }
  assert.equal(at(its, '2026-06-13T21:59:59Z'), 'open')
  assert.equal(at(its, '2026-06-13T22:00:00Z'), 'open')
  assert.equal(at(its, '2026-06-13T23:00:00Z'), '2026-06-20T20:00:00.000Z')
})

test('a window that does not end after it begins ends on the next day, and belongs to the day it begins on', () => {
  const its = hours('22:00', '06:00', { days: ['sat'], holidays: ['2026-06-20'] })
  assert.equal(at(its, '2026-06-13T21:00:00Z'), 'open', 'Saturday 23:00')
  assert.equal(at(its, '2026-06-14T03:59:00Z'), 'open', 'Sunday 05:59')
  assert.equal(at(its, '2026-06-14T04:00:00Z'), '2026-06-27T20:00:00.000Z', 'not on the holiday')
  assert.equal(at(its, '2026-06-20T22:30:00Z'), '2026-06-27T20:00:00.000Z', 'none began on the holiday')
  assert.equal(at(hours('09:00', '09:00', { days: ['mon'] }), '2026-06-16T06:59:00Z'), 'open', 'a whole day')
})

test('on a holiday no window begins, but one of the day before goes on', () => {
  const its = hours('20:00', '02:00', { holidays: ['2026-12-25'] })
  assert.equal(at(its, '2026-12-25T00:30:00Z'), 'open')
  assert.equal(at(its, '2026-12-25T01:00:00Z'), '2026-12-26T19:00:00.000Z')
})

test('a time that the change of clocks skips is the moment of the change', () => {
  // In Madrid, on 2026-03-29 the clock goes from 02:00 to 03:00, at 01:00 UTC.
  const opens = hours('02:30', '12:00')
  assert.equal(at(opens, '2026-03-29T00:59:59Z'), '2026-03-29T01:00:00.000Z')
  assert.equal(at(opens, '2026-03-29T01:00:00Z'), 'open')
  const closes = hours('01:00', '02:30')
  assert.equal(at(closes, '2026-03-29T00:59:59Z'), 'open')
  assert.equal(at(closes, '2026-03-29T01:00:00Z'), '2026-03-29T23:00:00.000Z')
  assert.equal(
    at(hours('02:15', '02:45'), '2026-03-29T00:59:00Z'),
    '2026-03-30T00:15:00.000Z',
    'skipped whole',
  )
  assert.equal(at(hours('09:00', '20:00'), '2026-03-29T06:59:00Z'), '2026-03-29T07:00:00.000Z')
})

test('late in the evening before, the day that loses an hour is seen too', () => {
  // 23:30 in Madrid on Saturday, 2026-03-28. A day of 24 hours later it is Monday.
  assert.equal(at(hours('09:00', '20:00'), '2026-03-28T22:30:00Z'), '2026-03-29T07:00:00.000Z')
  const night = hours('20:00', '02:00', { days: ['sat'] })
  assert.equal(at(night, '2026-03-28T22:30:00Z'), 'open')
  assert.equal(at(night, '2026-03-29T00:59:59Z'), 'open')
  assert.equal(at(night, '2026-03-29T01:00:00Z'), '2026-04-04T18:00:00.000Z', 'it closed at 02:00, now 03:00')
})

test('an hour that comes twice is open twice', () => {
  // In Madrid, on 2026-10-25 the clock goes from 03:00 back to 02:00, at 01:00 UTC.
  const its = hours('02:15', '02:45')
  assert.equal(at(its, '2026-10-25T00:14:59Z'), '2026-10-25T00:15:00.000Z')
  assert.equal(at(its, '2026-10-25T00:44:59Z'), 'open')
  assert.equal(at(its, '2026-10-25T00:45:00Z'), '2026-10-25T01:15:00.000Z')
  assert.equal(at(its, '2026-10-25T01:44:59Z'), 'open')
  assert.equal(at(its, '2026-10-25T01:45:00Z'), '2026-10-26T01:15:00.000Z')
  const night = hours('22:00', '02:30')
  assert.equal(at(night, '2026-10-25T00:29:00Z'), 'open')
  assert.equal(
    at(night, '2026-10-25T00:30:00Z'),
    '2026-10-25T01:00:00.000Z',
    'open again when it is 02:00 again',
  )
  assert.equal(at(night, '2026-10-25T01:29:00Z'), 'open')
  assert.equal(at(night, '2026-10-25T01:30:00Z'), '2026-10-25T21:00:00.000Z')
})

test('in a country with several zones, the hours fit all of them', () => {
  const its = hours('09:00', '20:00')
  const spain = zonesOf('ES')
  assert.equal(
    at(its, '2026-06-10T07:30:00Z', spain),
    '2026-06-10T08:00:00.000Z',
    '09:00 in the Canary Islands',
  )
  assert.equal(at(its, '2026-06-10T17:59:00Z', spain), 'open')
  assert.equal(at(its, '2026-06-10T18:00:00Z', spain), '2026-06-11T08:00:00.000Z', '20:00 in Madrid')
})

test('if the hours never fit all zones of a country, they fit the most that they ever do', () => {
  const zones = ['Pacific/Honolulu', 'America/New_York', 'America/Detroit', 'America/Chicago']
  const its = hours('09:00', '11:00')
  // 10:00 in New York is 09:00 in Chicago and 04:00 in Honolulu.
  assert.equal(at(its, '2026-06-10T13:30:00Z', zones), '2026-06-10T14:00:00.000Z')
  assert.equal(at(its, '2026-06-10T14:30:00Z', zones), 'open')
  assert.equal(at(its, '2026-06-10T15:00:00Z', zones), '2026-06-11T14:00:00.000Z')
})

test('every country with a numbering plan has zones, and the default hours open in it within three days', () => {
  const now = Date.parse('2026-06-13T18:30:00Z')
  for (const country of countries) {
    const zones = zonesOf(country)
    assert.ok(zones.length > 0, country)
    const { open, until_ms } = hoursAt(DEFAULT_HOURS.marketing, zones, now)
    assert.ok(open || until_ms - now < 3 * 86_400_000, `${country} ${until_ms - now}`)
  }
})

test('a status is looked up until it changes, and again after the clock was set back', () => {
  const its = hours('09:00', '20:00')
  const first = hoursAt(its, MADRID, Date.parse('2026-06-10T08:00:00Z'))
  assert.equal(hoursAt(its, MADRID, Date.parse('2026-06-10T17:00:00Z')), first)
  assert.equal(hoursAt(its, MADRID, Date.parse('2026-06-10T18:00:00Z')).open, false)
  assert.equal(hoursAt(its, MADRID, Date.parse('2026-06-10T08:00:00Z')).open, true)
})

const night = Date.parse('2026-06-10T22:30:00Z')
const settings = { sending_hours: null, default_country: 'ES' }
const marketing = { message_to: '+34600111222', priority: 2 }

test('by default marketing waits for the recipient’s day, and nothing else does', () => {
  assert.equal(closedUntil(settings, marketing, night), Date.parse('2026-06-11T08:00:00Z'))
  for (const priority of [-1, 0, 1])
    assert.equal(closedUntil(settings, { ...marketing, priority }, night), undefined)
  assert.equal(closedUntil(settings, { ...marketing, message_to: '+5215512345678' }, night), undefined)
})

test('a short code and a number of no country have the hours of the default country', () => {
  for (const message_to of ['22000', '+80012345678'])
    assert.equal(
      closedUntil(settings, { ...marketing, message_to }, night),
      Date.parse('2026-06-11T08:00:00Z'),
    )
})

test('hours in a named zone are those of that zone for every number', () => {
  const sending_hours = JSON.stringify({
    marketing: { ...DEFAULT_HOURS.marketing, zone: 'America/Mexico_City' },
    transactional: hours('08:00', '10:00'),
  })
  assert.equal(closedUntil({ ...settings, sending_hours }, marketing, night), undefined)
  const transactional = { message_to: '+351912345678', priority: 0 }
  assert.equal(
    closedUntil({ ...settings, sending_hours }, transactional, night),
    Date.parse('2026-06-11T08:00:00Z'),
  )
  assert.equal(
    closedUntil({ ...settings, sending_hours }, { ...transactional, priority: -1 }, night),
    undefined,
  )
})
