import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { DEFAULT_HOURS, type Hours, type SendingHours } from '@sdd/contract/accounts/sending-hours.ts'
import { readGlobalSettings, saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { createTasks, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { OWN_HEAD } from '#server/dispatch/lanes/store.ts'
import { HOUR, MINUTE } from './clock.ts'
import { givenTo, startFleet, type Written } from './fleet.ts'
import { call } from './server.ts'

const TO = '+34600111222'
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const OPENS = '2026-06-11T08:00:00.000Z'

function from(from: string, to: string): Hours {
  return { windows: [{ days: [...DAYS], from, to }], zone: 'Europe/Madrid', holidays: [] }
}

/** Wednesday 2026-06-10, 10:00 in Madrid and 09:00 in the Canary Islands. */
async function begin(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token, key } = fleet
  const consent = (consent: Written | null, number = TO) =>
    call(server, saveContact, { token, params: { number }, body: { consent } })
  const set = (sending_hours: Written | SendingHours) =>
    call(server, saveGlobalSettings, {
      token,
      body: { spoof_time_secs: 0, send_enabled: true, sending_hours } as never,
    })
  const submit = (task: Written) =>
    call(server, createTasks, { token: key, body: { text: 'hola', to_number: TO, ...task } })
  return {
    ...fleet,
    consent,
    set,
    submit,
    marketing: (task: Written = {}) => fleet.hand({ to_number: TO, class: 'marketing', ...task }),
  }
}

test('marketing without a recorded consent is refused, and withdrawing it ends the waiting messages', async (t) => {
  const { consent, submit, marketing, read, key, server, pass, entry } = await begin(t)
  const refused = await submit({ class: 'marketing' })
  const { code, params, field_codes } = refused.body as {
    code?: string
    params?: unknown
    field_codes?: unknown
  }
  assert.deepEqual([refused.status, code, params], [422, 'no_consent', { number: TO }])
  assert.deepEqual(field_codes, { to_number: { code: 'no_consent', params: {} } })
  assert.equal((await submit({ class: 'transactional' })).status, 202)
  await consent({ how: 'web' })
  const tasks = ['+34600111222', '600111223', '600 111 222'].map((to_number) => ({
    to_number,
    text: 'x',
    class: 'marketing',
  }))
  const { results } = (await call(server, createTasks, { token: key, body: { tasks } })).body as TaskResults
  assert.deepEqual(
    results.map(({ status, code }) => code ?? status),
    ['received', 'no_consent', 'received'],
  )
  await pass(11 * HOUR)
  const waits = await marketing()
  assert.equal((await read(waits)).state, 'received')
  await consent(null)
  const ended = await read(waits)
  assert.deepEqual([ended.state, ended.error_msg_code], ['failed', 'no_consent'])
  assert.equal((await entry(waits)).error, 'no_consent')
})

test('withdrawing the consent calls back marketing that no device has accepted', async (t) => {
  const { consent, marketing, read, entry, join } = await begin(t)
  await consent({ how: 'web' })
  const drone = await join('drone')
  const guid = await marketing()
  await drone.until(1)
  await consent(null)
  await drone.until(2)
  assert.match((await entry(guid)).notes!, /1: the consent was withdrawn, drone is told to drop it$/)
  assert.equal((await read(guid)).waiting_code, 'discarding')
  assert.deepEqual(
    drone.commands.map(({ type, guid }) => [type, guid]),
    [
      ['send', guid],
      ['cancel', guid],
    ],
  )
  await drone.report({ guid, state: 'failed', code: 'cancelled' })
  const ended = await read(guid)
  assert.deepEqual([ended.state, ended.error_msg_code], ['failed', 'no_consent'])
})

test('marketing waits for its hours and says until when; other classes go', async (t) => {
  const { consent, marketing, hand, read, pass, join, lookedAtAll, clock } = await begin(t)
  await consent({ how: 'web' })
  const drone = await join('drone')
  const day = await marketing()
  await drone.until(1)
  await drone.report({ guid: day, state: 'sent' })
  await pass(10 * HOUR)
  const night = await marketing({ expires_at: '2026-06-12T08:00:00Z' })
  const { waiting_code, waiting_params, waiting_for } = await read(night)
  assert.deepEqual(
    [waiting_code, waiting_params],
    ['sending_hours', { until: OPENS, at: OPENS, class: 'marketing' }],
  )
  assert.match(waiting_for!, /until 2026-06-11T08:00:00.000Z/)
  const others = [await hand({ class: 'code' }), await hand({ to_number: TO })]
  await drone.until(3)
  await drone.report(...others.map((guid) => ({ guid, state: 'sent' as const })))
  await lookedAtAll()
  assert.equal(givenTo(drone).includes(night), false)
  await pass(14 * HOUR - 1)
  await lookedAtAll()
  assert.equal(givenTo(drone).includes(night), false)
  clock.advance(1)
  await drone.until(4)
  assert.equal(givenTo(drone).includes(night), true)
})

test('a task that is still in its lane when its hours end is not handed over', async (t) => {
  const { consent, marketing, hand, read, join, lookedAtAll, clock, pass } = await begin(t)
  await consent({ how: 'web' })
  await pass(10 * HOUR - MINUTE)
  const late = await marketing()
  assert.equal((await read(late)).waiting_code, 'no_device')
  clock.advance(MINUTE)
  const next = await hand()
  assert.equal((await read(late)).waiting_code, 'sending_hours', 'also while no device looks')
  const drone = await join('drone')
  await drone.until(1)
  await lookedAtAll()
  assert.deepEqual(givenTo(drone), [next])
  await drone.report({ guid: next, state: 'sent' })
  await pass(14 * HOUR)
  await drone.until(2)
  assert.deepEqual(givenTo(drone), [next, late])
})

test('a change of the hours counts at once, for tasks and for messages of the console', async (t) => {
  const { set, hand, read, send, entry, join, lookedAtAll } = await begin(t)
  const drone = await join('drone')
  const marketing = DEFAULT_HOURS.marketing
  assert.equal((await set({ marketing, transactional: from('20:00', '21:00') })).status, 200)
  const task = await hand()
  const { guid } = (await send('drone')).body
  const until = '2026-06-10T18:00:00.000Z'
  for (const waits of [await read(task), await entry(guid)])
    assert.deepEqual(
      [waits.waiting_code, waits.waiting_params],
      ['sending_hours', { until, at: until, class: 'transactional' }],
    )
  const secret = await hand({ class: 'code' })
  await drone.until(1)
  assert.deepEqual(givenTo(drone), [secret])
  await set({ marketing, transactional: from('20:00', '20:30') })
  assert.equal((await read(task)).waiting_code, 'sending_hours')
  await set({ marketing, transactional: null })
  await drone.until(3)
  await lookedAtAll()
  assert.deepEqual(new Set(givenTo(drone)), new Set([secret, guid, task]))
})

test('messages of the console outside their hours do not hold up others behind them', async (t) => {
  const { server, token, set, join, eventually } = await begin(t)
  const drone = await join('drone')
  const hours = { ...from('10:00', '20:00'), zone: 'recipient' }
  assert.equal((await set({ marketing: hours, transactional: hours })).status, 200)
  const sendTo = async (telefono_to: string) => {
    const body = { device_uid: 'drone', telefono_to, mensaje_sms: 'hola' }
    return (await call(server, sendSms, { token, body })).body.guid
  }
  // It is 10:00 in France, and 9:00 in the United Kingdom.
  for (let message = 0; message < 2 * OWN_HEAD; message++) await sendTo('+447700900222')
  const guid = await sendTo('+33612345678')
  await eventually(() => drone.commands.length > 0)
  assert.deepEqual(givenTo(drone), [guid])
})

test('the hours of a company are a part of its settings, with a default', async (t) => {
  const { set, server, token } = await begin(t)
  const read = async () => (await call(server, readGlobalSettings, { token })).body.settings[0]!.sending_hours
  assert.deepEqual(await read(), {
    marketing: {
      windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '09:00', to: '20:00' }],
      zone: 'recipient',
      holidays: [],
    },
    transactional: null,
  })
  const saved = {
    marketing: { ...from('08:00', '24:00'), holidays: ['2026-12-25'] },
    transactional: from('22:00', '06:00'),
  }
  assert.deepEqual((await set(saved)).body.sending_hours, saved)
  const absent = { spoof_time_secs: 0, send_enabled: true }
  assert.deepEqual(
    (await call(server, saveGlobalSettings, { token, body: absent })).body.sending_hours,
    saved,
  )
  const windows = (window: Written) => ({
    ...saved.marketing,
    windows: [{ days: ['mon'], from: '09:00', to: '20:00', ...window }],
  })
  const bad: Written[] = [
    { marketing: saved.marketing },
    { ...saved, marketing: null },
    { ...saved, code: null },
    { ...saved, marketing: { ...saved.marketing, windows: [] } },
    { ...saved, marketing: { ...saved.marketing, windows: Array(21).fill(saved.marketing.windows[0]) } },
    { ...saved, marketing: windows({ days: [] }) },
    { ...saved, marketing: windows({ days: ['monday'] }) },
    { ...saved, marketing: windows({ from: '24:00' }) },
    { ...saved, marketing: windows({ from: '9:00' }) },
    { ...saved, marketing: windows({ to: '25:00' }) },
    { ...saved, marketing: windows({ until: '20:00' }) },
    { ...saved, marketing: { ...saved.marketing, zone: 'Mars/Olympus' } },
    { ...saved, marketing: { ...saved.marketing, zone: '+01:00' } },
    { ...saved, marketing: { ...saved.marketing, holidays: ['2026-02-30'] } },
    { ...saved, marketing: { ...saved.marketing, holidays: Array(367).fill('2026-12-25') } },
  ]
  for (const hours of bad) {
    const { status, body } = await set(hours)
    const { code, fields } = body as unknown as { code: string; fields: object }
    assert.deepEqual(
      [status, code, Object.keys(fields ?? {})],
      [422, 'invalid', ['sending_hours']],
      JSON.stringify(hours).slice(0, 200),
    )
  }
  assert.deepEqual(await read(), saved)
})
