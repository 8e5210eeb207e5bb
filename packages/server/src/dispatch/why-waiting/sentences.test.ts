import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Waiting, waitingCodes, waitingParams } from '@sdd/contract/dispatch/waiting.ts'
import { explainWaiting, waitingFieldsOf } from './sentences.ts'

const [since, at, expires_at] = [
  '2026-06-10T08:00:00.000Z',
  '2026-06-10T09:00:00.000Z',
  '2026-06-11T08:00:00.000Z',
]
const device = 'drone-1'
const nobody = {
  devices: 1,
  offline: 0,
  disabled: 0,
  at_limit: 0,
  quarantined: 0,
  device,
  number: null,
  at: null,
  since: null,
  expires_at,
}

const sentences: [Waiting, string][] = [
  [
    { code: 'sending_off', params: { since, expires_at } },
    `Sending has been switched off in Settings since ${since}: it waits until that is on again, or expires at ${expires_at}.`,
  ],
  [
    { code: 'sending_hours', params: { until: at, at, class: 'marketing' } },
    `Sending hours: it waits until ${at}, when marketing messages may go to this number.`,
  ],
  [{ code: 'campaign_paused', params: {} }, 'Its campaign is paused.'],
  [
    { code: 'usual_device', params: { device, until: at } },
    `It waits for drone-1, which wrote to this number last, until ${at}; then others may take it.`,
  ],
  [{ code: 'not_before', params: { at } }, `Not before ${at}, as it was handed in.`],
  [
    { code: 'retry', params: { attempt: 2, device, at } },
    `Attempt 2 failed on drone-1: it is tried again at ${at}, on another device where there is one.`,
  ],
  [
    { code: 'retry', params: { attempt: 1, device: null, at } },
    `Attempt 1 failed: it is tried again at ${at}, on another device where there is one.`,
  ],
  [
    { code: 'no_device', params: { expires_at } },
    `No device is linked: it goes out once one is, or expires at ${expires_at}.`,
  ],
  [
    { code: 'no_sim', params: { number: '+34600000001', expires_at } },
    `No device has a SIM of +34600000001: it goes out once one has, or expires at ${expires_at}.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, offline: 1, since } },
    `drone-1, the only device, is offline since ${since}: it goes out once one is back, or expires at ${expires_at}.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, devices: 2, offline: 2, device: null, number: '7', since } },
    `All 2 devices with a SIM of 7 are offline, the last one since ${since}: it goes out once one is back, or expires at ${expires_at}.`,
  ],
  [
    { code: 'route', params: { tag: 'north', number: '+34600000001', expires_at } },
    `No device with the tag north has a SIM of +34600000001: it goes out once one has, or expires at ${expires_at}.`,
  ],
  [
    { code: 'route', params: { tag: 'north', expires_at } },
    `No device has the tag north: it goes out once one has, or expires at ${expires_at}.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, offline: 1, tag: 'north', since } },
    `drone-1, the only device with the tag north, is offline since ${since}: it goes out once one is back, or expires at ${expires_at}.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, devices: 3, offline: 1, disabled: 2, device: null } },
    `None of the 3 devices can take it: 1 is offline, 2 are disabled: it goes out once one is enabled, or expires at ${expires_at}.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, at_limit: 1, at } },
    `Daily limit reached: drone-1, the only device, is at the daily limit; it goes on at ${at}, or once a limit is raised in Settings.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, quarantined: 1 } },
    'drone-1, the only device, is in quarantine, as too many messages failed in a row: one is being tried.',
  ],
  [
    { code: 'none_can', params: { ...nobody, quarantined: 1, at } },
    `drone-1, the only device, is in quarantine, as too many messages failed in a row: one is tried again at ${at}.`,
  ],
  [
    { code: 'none_can', params: { ...nobody, devices: 2, at_limit: 1, maintenance: 1, device: null, at } },
    `Daily limit reached: None of the 2 devices can take it: 1 is at the daily limit, 1 is in maintenance; it goes on at ${at}, or once a limit is raised in Settings.`,
  ],
  [
    { code: 'maintenance', params: { device, at } },
    `Maintenance: drone-1 is in maintenance until ${at}; it goes out then.`,
  ],
  [
    { code: 'over_limits', params: { parts: 3, most: 2 } },
    'Daily limit: it takes 3 SMS, and no device may send more than 2 a day; raise a limit in Settings.',
  ],
  [
    { code: 'plan_used', params: { iccid: '8934561100000000011', at } },
    `Plan used up: that of the SIM 8934561100000000011 renews at ${at}; it goes on then, or once the plan is changed.`,
  ],
  [
    { code: 'plan_used', params: { iccid: '8934561100000000011', at, valid_until: '2026-06-01' } },
    'Plan over: the SIM 8934561100000000011 was valid until 2026-06-01; it goes on once its plan is changed.',
  ],
  [
    { code: 'no_room', params: { parts: 3, at } },
    `Daily limit: no device has room for its 3 SMS today; it goes on at ${at}, or once a limit is raised in Settings.`,
  ],
  [
    { code: 'window_full', params: { window: 10, waiting: 2 } },
    'Every device that could take it has 10 unfinished messages; one is handed over when one of them ends, 2 tasks wait in this line.',
  ],
  [
    { code: 'pacing', params: { every_secs: 60, at, waiting: 1 } },
    `Pacing: each device is handed one message every 60 s; the next slot opens at ${at}, no other task waits with it.`,
  ],
  [
    { code: 'next', params: { since, waiting: 1 } },
    `Next in line since ${since}: no other task waits with it.`,
  ],
  [{ code: 'device_unlinked', params: {} }, 'Its device is no longer linked.'],
  [
    { code: 'device_offline', params: { device, since, expires_at } },
    `Device offline: drone-1 has been disconnected since ${since}; once it is back it goes out then, or expires at ${expires_at}.`,
  ],
  [
    { code: 'device_disabled', params: { device, since, expires_at } },
    `Device disabled: drone-1 has been disabled since ${since}; once it is enabled it goes out then, or expires at ${expires_at}.`,
  ],
  [
    { code: 'device_limit', params: { device, sent: 9, limit: 10, at } },
    `Daily limit reached: drone-1 has sent 9 of 10 SMS today; it goes on at ${at}.`,
  ],
  [
    { code: 'over_device_limit', params: { device, parts: 3, limit: 2 } },
    'Daily limit: it takes 3 SMS and drone-1 may send 2 a day; raise the limit in Settings.',
  ],
  [{ code: 'retry_at', params: { at } }, `It is tried again at ${at}.`],
  [
    { code: 'device_window', params: { device, window: 10 } },
    'drone-1 has 10 unfinished messages; it is handed over when one of them ends.',
  ],
  [
    { code: 'device_pacing', params: { device, every_secs: 5, at, waiting: 4 } },
    `Pacing: drone-1 is handed one message every 5 s; the next slot opens at ${at}, 4 wait for it.`,
  ],
  [{ code: 'device_next', params: { device, since } }, `Next in the queue of drone-1 since ${since}.`],
  [
    { code: 'unconfirmed', params: { device, since, again_at: at } },
    `drone-1 was given it at ${since} and has not confirmed it; the command goes out again at ${at}.`,
  ],
  [
    {
      code: 'unconfirmed',
      params: { device, since, again_at: null, offline_since: at, off_since: at, expires_at },
    },
    `drone-1 was given it at ${since} and has not confirmed it; drone-1 has been disconnected since ${at}; the command goes out again when it is back, until ${expires_at}.`,
  ],
  [
    { code: 'unconfirmed', params: { device, since, again_at: null, off_since: at, expires_at } },
    `drone-1 was given it at ${since} and has not confirmed it; sending has been switched off in Settings since ${at}; the command goes out again once it is on, until ${expires_at}.`,
  ],
  [
    { code: 'unconfirmed', params: { device, since, again_at: null, disabled_since: at, expires_at } },
    `drone-1 was given it at ${since} and has not confirmed it; it has been disabled since ${at}; the command goes out again once it is enabled, until ${expires_at}.`,
  ],
  [
    { code: 'unconfirmed', params: { device, since, again_at: null, maintenance_until: at, expires_at } },
    `drone-1 was given it at ${since} and has not confirmed it; it is in maintenance until ${at}; the command goes out again then, until ${expires_at}.`,
  ],
  [
    { code: 'accepted', params: { device, since } },
    `drone-1 accepted it at ${since} and has not said yet what became of it.`,
  ],
  [
    { code: 'discarding', params: { device, since, offline_since: at } },
    `It is to be discarded: since ${since}, drone-1, which already had it, is told to drop it until it answers; drone-1 has been disconnected since ${at}.`,
  ],
]

test('each reason why a message waits becomes its sentence, from nothing but its code and facts', () => {
  for (const [waiting, sentence] of sentences) {
    assert.deepEqual(waitingParams[waiting.code].parse(waiting.params), waiting.params, waiting.code)
    assert.equal(explainWaiting(waiting), sentence)
  }
  assert.deepEqual(new Set(sentences.map(([{ code }]) => code)), new Set(waitingCodes))
})

test('a message that does not wait has neither a sentence nor a code', () => {
  assert.deepEqual(waitingFieldsOf(undefined), {
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
  })
})
