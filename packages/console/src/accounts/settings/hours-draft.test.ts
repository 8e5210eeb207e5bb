import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_HOURS, SendingHours } from '@sdd/contract/accounts/sending-hours.ts'
import {
  sendingHoursDraftOf,
  sendingHoursFaults,
  sendingHoursOf,
  type SendingHoursDraft,
} from './hours-draft.ts'

const wrong = (draft: SendingHoursDraft) =>
  Object.entries(sendingHoursFaults(draft)).flatMap(([field, fault]) => (fault === undefined ? [] : field))

test('the hours of a company come back unchanged from the form, with and without those of transactional messages', () => {
  const both: SendingHours = {
    marketing: { ...DEFAULT_HOURS.marketing, zone: 'Europe/Madrid', holidays: ['2026-12-25', '2027-01-01'] },
    transactional: {
      windows: [{ days: ['mon'], from: '22:00', to: '06:00' }],
      zone: 'recipient',
      holidays: [],
    },
  }
  for (const hours of [DEFAULT_HOURS, both]) {
    const draft = sendingHoursDraftOf(hours)
    assert.deepEqual(wrong(draft), [])
    assert.deepEqual(sendingHoursOf(draft), hours)
  }
})

test('short times and any order of holidays are taken as they are meant', () => {
  const draft = sendingHoursDraftOf(DEFAULT_HOURS)
  draft.marketing = {
    ...draft.marketing,
    windows: [{ days: ['sat'], from: '9', to: '8:30' }],
    holidays: '2027-01-06; 2026-12-25\n2026-12-25',
  }
  const { marketing } = SendingHours.parse(sendingHoursOf(draft))
  assert.deepEqual(marketing.windows, [{ days: ['sat'], from: '09:00', to: '08:30' }])
  assert.deepEqual(marketing.holidays, ['2026-12-25', '2027-01-06'])
})

test('each wrong part is named, and only where the hours count', () => {
  const bad = {
    on: true,
    windows: [
      { days: [], from: '09:00', to: '20:00' },
      { days: ['mon' as const], from: '24:00', to: '24:00' },
      { days: ['mon' as const], from: '9:00', to: '25:00' },
    ],
    zone: 'Europe/Nowhere',
    holidays: '25/12/2026',
  }
  assert.deepEqual(wrong({ marketing: bad, transactional: { ...bad, on: false } }), [
    'sending_hours.marketing.0.days',
    'sending_hours.marketing.1.from',
    'sending_hours.marketing.2.to',
    'sending_hours.marketing.zone',
    'sending_hours.marketing.holidays',
  ])
})
