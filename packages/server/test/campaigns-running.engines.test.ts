import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCampaign } from '@sdd/contract/people/campaigns.ts'
import { changeDevice } from '@sdd/contract/fleet/device-changes.ts'
import { readConversation } from '@sdd/contract/people/conversations.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { HOUR, SECOND } from './clock.ts'
import { eventually } from './device.ts'
import { withTables } from './engine.ts'
import { givenTo } from './fleet.ts'
import { call } from './server.ts'
import { guidOf, numberOf, openCampaignFleet, rowsOf, sumOf } from './campaign-fleet.ts'

test('a preview counts each row in one group, and exactly the confirmed rows are sent, once each', async (t) => {
  const fleet = await openCampaignFleet(t)
  const { create, upload, preview, start, contact, block, server, token, join, counted, rows } = fleet
  const { id } = await create({ text: 'Hola {{name}}', lists: ['clients'] })
  await contact(numberOf(7), { name: 'Mar', lists: ['clients'] })
  await contact(numberOf(1), { lists: ['clients'] })
  await block(numberOf(4))
  await upload(id, [
    { number: numberOf(1), fields: { name: 'Ana' } },
    { number: 'x' },
    { number: numberOf(1), fields: { name: 'Ana otra vez' } },
    { number: numberOf(4), fields: { name: 'Luis' } },
    { number: numberOf(5) },
    { number: numberOf(6), fields: { name: 'Ωmega' } },
  ])
  const seen = await preview(id)
  assert.deepEqual(
    {
      ...seen,
      examples: seen.examples.map(({ row, text, parts }) => [row, text, parts]),
      longest: seen.longest?.text,
    },
    {
      rows: 8,
      sendable: 3,
      parts: 3,
      by_encoding: { gsm7: 3, ucs2: 0 },
      repeated: 1,
      invalid: 3,
      opted_out: 1,
      without_consent: 0,
      over_recipient_cap: 0,
      by_parts: [{ parts: 1, rows: 3 }],
      ucs2_letters: [],
      faults: [
        { code: 'missing_field', field: 'name', rows: 2 },
        { code: 'invalid_number', field: null, rows: 1 },
      ],
      examples: [
        [1, 'Hola Ana', 1],
        [6, 'Hola Ωmega', 1],
        [8, 'Hola Mar', 1],
      ],
      longest: 'Hola Ωmega',
      first_in_parts: null,
      uploading: null,
      basis: { devices: 0, away: 0, per_hour: 0, room_today: 0 },
      finishes_at: null,
      limited_by: 'devices',
    },
  )
  const other = await call(server, startCampaign, { token, params: { id }, body: { rows: 4 } })
  const { detail: _, ...refused } = other.body as { detail?: string }
  assert.deepEqual(
    [other.status, refused],
    [409, { code: 'rows_changed', params: { sendable: 3 }, sendable: 3 }],
  )
  const started = await start(id, 3)
  assert.deepEqual([started.state, started.rows, started.counts.skipped], ['running', 8, 5])
  assert.equal((await start(id, 3)).state, 'running', 'the same again changes nothing')
  const waiting = await counted(id, { queued: 3, skipped: 5 })
  assert.deepEqual([waiting.waiting_code, waiting.limited_by], ['no_device', 'devices'])

  const drone = await join('drone')
  await drone.until(3)
  assert.deepEqual(
    drone.commands.map(({ guid, to, text }) => [guid, to, text]),
    [
      [guidOf(id, 1), numberOf(1), 'Hola Ana'],
      [guidOf(id, 6), numberOf(6), 'Hola Ωmega'],
      [guidOf(id, 8), numberOf(7), 'Hola Mar'],
    ],
  )
  await drone.report({ guid: guidOf(id, 1), state: 'accepted' })
  await counted(id, { queued: 2, handed: 1, skipped: 5 })
  await drone.report({ guid: guidOf(id, 1), state: 'sent' }, { guid: guidOf(id, 1), state: 'delivered' })
  await drone.report({ guid: guidOf(id, 6), state: 'sent' })
  await drone.report({ guid: guidOf(id, 8), state: 'failed', code: 'unallocated_number' })
  const ended = await eventually(async () => {
    const campaign = await fleet.read(id)
    return campaign.state === 'finished' ? campaign : undefined
  })
  assert.deepEqual(
    [ended.counts.delivered, ended.counts.sent, ended.counts.failed, ended.counts.skipped, sumOf(ended)],
    [1, 1, 1, 5, 8],
  )
  assert.ok(ended.finished_at)
  assert.deepEqual(
    ended.reasons.map(({ state, reason, count, retryable }) => [state, reason, count, retryable]),
    [
      ['skipped', 'invalid', 3, 0],
      ['failed', 'unallocated_number', 1, ended.reasons[1]!.retryable],
      ['skipped', 'opted_out', 1, 0],
      ['skipped', 'repeated', 1, 0],
    ],
  )
  assert.deepEqual(
    (await rows(id)).rows.map(({ row, state, reason, fault }) => [row, state, reason, fault?.code ?? null]),
    [
      [1, 'delivered', null, null],
      [2, 'skipped', 'invalid', 'invalid_number'],
      [3, 'skipped', 'repeated', null],
      [4, 'skipped', 'opted_out', null],
      [5, 'skipped', 'invalid', 'missing_field'],
      [6, 'sent', null, null],
      [7, 'skipped', 'invalid', 'missing_field'],
      [8, 'failed', 'unallocated_number', null],
    ],
  )
  const named = (await rows(id)).rows.map(({ row, name }) => [row, name])
  assert.deepEqual(named.slice(-3), [
    [6, 'Ωmega'],
    [7, null],
    [8, 'Mar'],
  ])
  assert.equal((await fleet.csv(id)).at(-1)!.split(',')[2], 'Mar')
  // A late report is counted, too.
  await drone.report({ guid: guidOf(id, 6), state: 'delivered' })
  await counted(id, { delivered: 2, failed: 1, skipped: 5 })
  const conversation = await call(server, readConversation, { token, params: { number: numberOf(1) } })
  const { by, by_kind } = conversation.body.messages[0]!
  assert.deepEqual([conversation.body.conversation.status, by, by_kind], ['done', 'Reminders', 'campaign'])
})

test('a campaign says how its end has moved, by which devices, and what their return would change', async (t) => {
  const { run, read, join, set, setLimit, server, token } = await openCampaignFleet(t)
  await set(60)
  const [near, far] = [await join('near'), await join('far')]
  const id = await run(rowsOf(100))
  await near.until(1)
  await far.until(1)
  const first = await read(id)
  assert.equal(first.planned_at?.slice(0, 16), '2026-06-10T08:50')
  assert.deepEqual(
    first.devices.map(({ uid, away, since, per_hour }) => [uid, away, since, per_hour]),
    [
      ['far', null, null, 60],
      ['near', null, null, 60],
    ],
  )
  assert.deepEqual([first.devices_total, first.finishes_with_all_at], [2, null])
  const rest = (maintenance_until: string | null) =>
    call(server, changeDevice, { token, params: { uid: 'near' }, body: { maintenance_until } })
  await rest('2026-06-10T12:00:00Z')
  assert.deepEqual(
    (await read(id)).devices.map(({ uid, away }) => [uid, away]),
    [
      ['near', 'maintenance'],
      ['far', null],
    ],
  )
  await rest(null)
  await near.stop()
  const later = await eventually(async () => {
    const campaign = await read(id)
    return campaign.devices[0]?.away === 'offline' ? campaign : undefined
  })
  assert.deepEqual(
    later.devices.map(({ uid, away, since, per_hour }) => [uid, away, since !== null, per_hour]),
    [
      ['near', 'offline', true, null],
      ['far', null, false, 60],
    ],
  )
  assert.equal(later.planned_at, first.planned_at)
  assert.ok(later.finishes_at! > '2026-06-10T09:30', later.finishes_at!)
  assert.ok(later.finishes_with_all_at! < '2026-06-10T09:00', later.finishes_with_all_at!)
  assert.equal((await setLimit('far', 0)).status, 200)
  const full = await read(id)
  assert.deepEqual(
    full.devices.map(({ uid, away }) => [uid, away]),
    [
      ['near', 'offline'],
      ['far', 'daily_limit'],
    ],
  )
  await call(server, startCampaign, { token, params: { id }, body: { rows: 100 } })
  assert.equal((await read(id)).planned_at, first.planned_at, 'starting it again changes nothing')
})

test('another system cannot take the guid of a row', async (t) => {
  const { server, key } = await openCampaignFleet(t)
  const body = { guid: 'campaign:1:1', to_number: numberOf(1), text: 'x' }
  const { status, body: answer } = await call(server, createTasks, { token: key, body })
  assert.deepEqual([status, Object.keys((answer as { fields?: object }).fields!)], [422, ['guid']])
})

test('who opts out or takes back the consent while a campaign runs gets nothing more of it', async (t) => {
  const { run, contact, block, join, counted, rows } = await openCampaignFleet(t)
  for (let row = 1; row <= 30; row++) await contact(numberOf(row), { consent: { how: 'web' } })
  const id = await run(rowsOf(30), { class: 'marketing' })
  // The first ten have their messages, and the others do not.
  await counted(id, { queued: 10, pending: 20 })
  await block(numberOf(1))
  await block(numberOf(25))
  await contact(numberOf(2), { consent: null })
  await contact(numberOf(26), { consent: null })
  const drone = await join('drone')
  for (let given = 0; given < 26; given++) {
    await drone.until(given + 1)
    await drone.report({ guid: drone.commands[given]!.guid, state: 'sent' })
  }
  await counted(id, { sent: 26, skipped: 4 })
  const skipped = (await rows(id, { state: 'skipped' })).rows
  assert.deepEqual(
    skipped.map(({ row, reason }) => [row, reason]),
    [
      [1, 'opted_out'],
      [2, 'no_consent'],
      [25, 'opted_out'],
      [26, 'no_consent'],
    ],
  )
})

test('messages that a lost device has not accepted hold up no rows of other devices', async (t) => {
  const { run, join, set, clock } = await openCampaignFleet(t)
  await set(4)
  const lost = await join('lost')
  const id = await run(rowsOf(30))
  for (let given = 1; given <= 10; given++) {
    await eventually(() => givenTo(lost).length === given)
    clock.advance(4 * SECOND)
  }
  await lost.stop()
  const drone = await join('drone')
  for (let row = 11; row <= 30; row++) {
    await eventually(() => givenTo(drone).includes(guidOf(id, row)))
    await drone.report({ guid: guidOf(id, row), state: 'sent' })
    clock.advance(4 * SECOND)
  }
})

test('messages whose hours have closed hold up no rows whose hours are open', async (t) => {
  const { run, join, set, contact, counted, clock, pass } = await openCampaignFleet(t)
  await set(4)
  const inMexico = Array.from({ length: 3 }, (_, at) => ({ number: `+52551234567${at}` }))
  const all = [...rowsOf(10), ...inMexico]
  for (const { number } of all) await contact(number, { consent: { how: 'web' } })
  const id = await run(all, { class: 'marketing' })
  await counted(id, { queued: 10, pending: 3 })
  await pass(11 * HOUR)
  const drone = await join('drone')
  for (const row of [11, 12, 13]) {
    await eventually(() => givenTo(drone).includes(guidOf(id, row)))
    await drone.report({ guid: guidOf(id, row), state: 'sent' })
    clock.advance(4 * SECOND)
  }
  await counted(id, { queued: 10, sent: 3 })
})

test('a campaign waits for its time, a row for its own, and both for their hours', async (t) => {
  const { run, join, read, counted, clock, pass, contact, lookedAtAll } = await openCampaignFleet(t)
  await contact(numberOf(1), { consent: { how: 'web' } })
  await contact(numberOf(2), { consent: { how: 'web' } })
  await contact(numberOf(3), { consent: { how: 'web' } })
  const drone = await join('drone')
  const rows = [
    { number: numberOf(1) },
    { number: numberOf(2), at: '2026-06-10T11:00:00Z' },
    { number: numberOf(3), at: '2026-06-10T22:00:00Z' },
  ]
  const id = await run(rows, { class: 'marketing', not_before: '2026-06-10T09:00:00Z' })
  const scheduled = await read(id)
  assert.deepEqual([scheduled.state, scheduled.waiting_code], ['scheduled', 'not_before'])
  await pass(HOUR)
  await drone.until(1)
  await drone.report({ guid: guidOf(id, 1), state: 'sent' })
  const waits = await counted(id, { sent: 1, pending: 2 })
  assert.deepEqual([waits.state, waits.waiting_code], ['running', 'not_before'])
  await pass(2 * HOUR)
  await drone.until(2)
  await drone.report({ guid: guidOf(id, 2), state: 'sent' })
  // Midnight in Madrid: nothing goes before nine o'clock in the Canary Islands.
  await pass(11 * HOUR)
  await eventually(async () => (await read(id)).waiting_code === 'sending_hours')
  assert.deepEqual((await read(id)).waiting_params, {
    until: '2026-06-11T08:00:00.000Z',
    at: '2026-06-11T08:00:00.000Z',
    class: 'marketing',
  })
  await pass(10 * HOUR - 1)
  await lookedAtAll()
  assert.equal(drone.commands.length, 2)
  clock.advance(1)
  await drone.until(3)
})

test('rows that are still there when a campaign expires are expired, made or not, paused or not', async (t) => {
  const { run, pause, counted, pass, read } = await openCampaignFleet(t)
  const id = await run(rowsOf(15), { expires_at: '2026-06-10T09:00:00Z' })
  await counted(id, { queued: 10, pending: 5 })
  await pause(id)
  await pass(HOUR)
  await counted(id, { expired: 15 })
  await eventually(async () => (await read(id)).state === 'finished')
})

test('a draft that has expired is not started, and stays a draft', async (t) => {
  const { create, upload, read, pass, server, token } = await openCampaignFleet(t)
  const { id } = await create({ text: 'hola', expires_at: '2026-06-10T09:00:00Z' })
  await upload(id, rowsOf(2))
  await pass(2 * HOUR)
  const { status, body } = await call(server, startCampaign, { token, params: { id }, body: { rows: 2 } })
  const { field_codes } = body as { field_codes?: unknown }
  assert.deepEqual(
    [status, field_codes],
    [422, { expires_at: { code: 'out_of_range', params: { min: '2026-06-10T10:00:00.000Z', max: null } } }],
  )
  assert.equal((await read(id)).state, 'draft')
})

test('the failed rows that may be tried again become a new draft, and the file has every row', async (t) => {
  const { run, join, counted, retry, rows, csv, read, server, token } = await openCampaignFleet(t)
  const drone = await join('drone')
  const id = await run(rowsOf(3).map((row, at) => ({ ...row, fields: { name: at === 0 ? '=1+1' : 'Ana' } })))
  await drone.until(3)
  await drone.report(
    { guid: guidOf(id, 1), state: 'failed', code: 'unknown_error' },
    { guid: guidOf(id, 2), state: 'failed', code: 'blocked', block: true },
    { guid: guidOf(id, 3), state: 'failed', code: 'other' },
  )
  await counted(id, { failed: 3 })
  await eventually(async () => (await read(id)).state === 'finished')
  const draft = await retry(id)
  assert.deepEqual([draft.name, draft.state, draft.rows], ['Reminders (2)', 'draft', 2])
  assert.deepEqual(
    (await rows(draft.id)).rows.map(({ row, number, name, state }) => [row, number, name, state]),
    [
      [1, numberOf(1), '=1+1', 'pending'],
      [2, numberOf(3), 'Ana', 'pending'],
    ],
  )
  assert.equal((await retry(id, { reason: 'other' })).rows, 1)
  const [head, first] = await csv(id)
  assert.equal(head!, 'row,number,name,text,state,reason,guid,device_uid,at,error_msg,reply')
  assert.deepEqual(first!.split(',').slice(0, 8), [
    '1',
    numberOf(1),
    `'=1+1`,
    'hola',
    'failed',
    'unknown_error',
    `campaign:${id}:1`,
    'drone',
  ])
  assert.equal((await csv(id)).length, 4)
  const wrong = await call(server, startCampaign, { token, params: { id }, body: { rows: 3 } })
  const { detail: _, ...refused } = wrong.body as { detail?: string }
  const state = 'finished'
  assert.deepEqual([wrong.status, refused], [409, { code: 'wrong_state', params: { state }, state }])
})

test('a campaign that fails in its turn stops no other, and goes on once it can', async (t) => {
  const { run, counted, pass, clock, server } = await openCampaignFleet(t)
  const later = { text: 'Hola {{name}}', not_before: new Date(clock.now() + HOUR).toISOString() }
  const rows = rowsOf(3).map((row) => ({ ...row, fields: { name: 'Ana' } }))
  const [damaged, other] = [await run(rows, later), await run(rows, later)]
  const damage = (fields: string) =>
    withTables(server, ({ run }) =>
      run(`update campaign_rows set fields = '${fields}' where campaign_id = ${damaged}`),
    )
  await damage('no JSON')
  await pass(HOUR)
  await counted(other, { queued: 3 })
  await counted(damaged, { pending: 3 })
  await damage('{"name": "Ana"}')
  await counted(damaged, { queued: 3 })
})
