import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { type Campaign, type CampaignCounts, startCampaign } from '@sdd/contract/people/campaigns.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { changeDevice } from '@sdd/contract/fleet/device-changes.ts'
import { readConversation } from '@sdd/contract/people/conversations.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { campaignCalls } from './campaigns.ts'
import { HOUR, MINUTE } from './clock.ts'
import { eventually } from './device.ts'
import { givenTo, startFleet } from './fleet.ts'
import { call } from './server.ts'

const numberOf = (row: number) => `+3460${String(2_000_000 + row)}`
const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ number: numberOf(at + 1) }))

/** A company with campaigns, at 10:00 in Madrid on a Wednesday. */
async function begin(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token } = fleet
  const campaigns = campaignCalls(server, token)
  return {
    ...fleet,
    ...campaigns,
    block: (number: string) => call(server, addOptOut, { token, body: { number } }),
    contact: (number: string, body: Record<string, unknown>) =>
      call(server, saveContact, { token, params: { number }, body }),
    /** The campaign once its counts are these; those that are left out are 0. */
    counted: (id: number, expected: Partial<CampaignCounts>) =>
      eventually(async () => {
        const campaign = await campaigns.read(id)
        assert.equal(sumOf(campaign), campaign.rows)
        return Object.entries(campaign.counts).every(
          ([state, count]) => count === (expected[state as keyof CampaignCounts] ?? 0),
        )
          ? campaign
          : undefined
      }),
  }
}

function sumOf({ counts }: Campaign): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

const guidOf = (id: number, row: number) => `campaign:${id}:${row}`

test('a preview counts each row in one group, and exactly the confirmed rows are sent, once each', async (t) => {
  const fleet = await begin(t)
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
  const refused = other.body as { code?: string; params?: object }
  assert.deepEqual([other.status, refused.code, refused.params], [409, 'rows_changed', { sendable: 3 }])
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
  // A late report is counted, too.
  await drone.report({ guid: guidOf(id, 6), state: 'delivered' })
  await counted(id, { delivered: 2, failed: 1, skipped: 5 })
  const conversation = await call(server, readConversation, { token, params: { number: numberOf(1) } })
  assert.deepEqual(
    [conversation.body.conversation.status, conversation.body.messages[0]!.by],
    ['done', 'Reminders'],
  )
})

test('a campaign says how its end has moved, by which devices, and what their return would change', async (t) => {
  const { run, read, join, set, setLimit, server, token } = await begin(t)
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
  const { server, key } = await begin(t)
  const body = { guid: 'campaign:1:1', to_number: numberOf(1), text: 'x' }
  const { status, body: answer } = await call(server, createTasks, { token: key, body })
  assert.deepEqual([status, Object.keys((answer as { fields?: object }).fields!)], [422, ['guid']])
})

test('a paused campaign hands nothing over and tries nothing again until it is resumed', async (t) => {
  const { run, pause, resume, join, counted, lookedAtAll, pass, hand, server, token } = await begin(t)
  const id = await run(rowsOf(30))
  await counted(id, { queued: 10, pending: 20 })
  const drone = await join('drone')
  await drone.until(10)
  await drone.report({ guid: guidOf(id, 1), state: 'accepted' })
  const paused = await pause(id)
  assert.deepEqual(
    [paused.state, paused.waiting_code, paused.finishes_at, sumOf(paused)],
    ['paused', 'campaign_paused', null, 30],
  )
  assert.ok(paused.paused_by)
  assert.equal((await pause(id)).state, 'paused')
  await drone.report({ guid: guidOf(id, 1), state: 'sent' })
  await drone.report({ guid: guidOf(id, 2), state: 'failed', code: 'no_network' })
  await pass(2 * MINUTE)
  // Another task goes by, so the device has room and is looked at. Commands without an answer are repeated.
  const other = await hand()
  await eventually(() => givenTo(drone).includes(other))
  await lookedAtAll()
  assert.equal(givenTo(drone).length, 11)
  assert.ok(drone.commands.every(({ attempt }) => attempt === 1))

  assert.equal((await resume(id)).state, 'running')
  await drone.report({ guid: other, state: 'sent' })
  const answered = new Set([guidOf(id, 1), other])
  while (answered.size < 31) {
    const { guid, attempt } = await eventually(() =>
      drone.commands.find((command) =>
        command.guid === guidOf(id, 2)
          ? command.attempt === 2 && !answered.has(command.guid)
          : !answered.has(command.guid),
      ),
    )
    answered.add(guid)
    await drone.report({ guid, attempt, state: 'sent' })
  }
  await counted(id, { sent: 30 })
  assert.equal(givenTo(drone).length, 31)
  const { entries } = (await call(server, listAudit, { token, query: { subject: 'campaign' } })).body
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['campaign.resumed', 'campaign.paused', 'campaign.started', 'campaign.created'],
  )
})

test('stopping discards what no device has accepted, and a failed attempt is not repeated', async (t) => {
  const { run, stop, join, counted, read, pass, lookedAtAll, rows } = await begin(t)
  const id = await run(rowsOf(30))
  const drone = await join('drone')
  await drone.until(10)
  await drone.report({ guid: guidOf(id, 1), state: 'accepted' }, { guid: guidOf(id, 2), state: 'accepted' })
  const stopped = await stop(id)
  assert.deepEqual([stopped.state, sumOf(stopped), stopped.counts.pending], ['stopped', 30, 0])
  await eventually(() => drone.commands.filter(({ type }) => (type as string) === 'cancel').length === 8)
  await drone.report({ guid: guidOf(id, 1), state: 'sent' })
  await drone.report({ guid: guidOf(id, 2), state: 'failed', code: 'no_network' })
  for (let row = 3; row <= 10; row++)
    await drone.report({ guid: guidOf(id, row), state: 'failed', code: 'cancelled' })
  await pass(2 * MINUTE)
  await counted(id, { sent: 1, cancelled: 29 })
  await lookedAtAll()
  assert.equal(drone.commands.filter(({ type }) => type === 'send').length, 10)
  assert.equal((await stop(id)).state, 'stopped')
  assert.equal((await read(id)).state, 'stopped')
  assert.equal((await rows(id, { state: 'cancelled', limit: '1' })).rows[0]!.reason, 'cancelled')
})

test('a message of a campaign that was removed is not tried again', async (t) => {
  const { run, stop, remove, join, counted, pass, lookedAtAll, entry } = await begin(t)
  const id = await run(rowsOf(1))
  const drone = await join('drone')
  await drone.until(1)
  await drone.report({ guid: guidOf(id, 1), state: 'accepted' })
  await counted(id, { handed: 1 })
  await stop(id)
  assert.equal((await remove(id)).status, 204)
  await drone.report({ guid: guidOf(id, 1), state: 'failed', code: 'no_network' })
  await pass(2 * MINUTE)
  await eventually(async () => (await entry(guidOf(id, 1))).state === 'expired')
  await lookedAtAll()
  assert.equal(drone.commands.filter(({ type }) => type === 'send').length, 1)
})

test('a campaign with a tag leaves only by devices that have it, also after a failure, while it waits, and after a change', async (t) => {
  const { run, read, preview, create, upload, join, counted, pass, lookedAtAll, entry, server, token } =
    await begin(t)
  const tag = (uid: string, ...tags: string[]) =>
    call(server, changeDevice, { token, params: { uid }, body: { tags } })
  const other = await join('other')
  const id = await run(rowsOf(12), { via: 'North' })
  await counted(id, { queued: 10, pending: 2 })
  const waiting = await read(id)
  assert.deepEqual([waiting.via, waiting.limited_by, waiting.waiting_code], ['north', 'devices', 'route'])
  assert.equal(waiting.waiting_params!['tag'], 'north')
  assert.equal((await entry(guidOf(id, 1))).waiting_code, 'route')
  const draft = await create({ via: 'north', text: 'hola' })
  await upload(draft.id, rowsOf(1))
  assert.equal((await preview(draft.id)).limited_by, 'devices')
  const north = await join('north-1')
  await tag('north-1', 'north')
  await north.until(10)
  await north.report({ guid: guidOf(id, 1), state: 'failed', code: 'no_network' })
  for (let row = 2; row <= 10; row++) await north.report({ guid: guidOf(id, row), state: 'sent' })
  await north.until(12)
  await north.report({ guid: guidOf(id, 11), state: 'sent' }, { guid: guidOf(id, 12), state: 'sent' })
  // The failed one is tried again by the other device that has the tag.
  const second = await join('north-2')
  await tag('north-2', 'a', 'north', 'z')
  await tag('north-1')
  await pass(2 * MINUTE)
  await second.until(1)
  assert.deepEqual([second.commands[0]!.guid, second.commands[0]!.attempt], [guidOf(id, 1), 2])
  await second.report({ guid: guidOf(id, 1), attempt: 2, state: 'sent' })
  await counted(id, { sent: 12 })
  await lookedAtAll()
  assert.deepEqual([givenTo(other), givenTo(north).length, givenTo(second).length], [[], 12, 1])
})

test('a paused campaign with a tag keeps to it when it goes on, as after its hours', async (t) => {
  const { run, pause, resume, join, counted, contact, server, token, pass, lookedAtAll } = await begin(t)
  const other = await join('other')
  for (let row = 1; row <= 3; row++) await contact(numberOf(row), { consent: { how: 'web' } })
  const id = await run(rowsOf(3), { via: 'north', class: 'marketing' })
  await counted(id, { queued: 3 })
  await pause(id)
  await pass(14 * HOUR)
  await resume(id)
  const north = await join('north')
  await call(server, changeDevice, { token, params: { uid: 'north' }, body: { tags: ['north'] } })
  await lookedAtAll()
  assert.deepEqual(givenTo(north), [])
  await pass(12 * HOUR)
  await north.until(3)
  await lookedAtAll()
  assert.deepEqual(givenTo(other), [])
})

test('who opts out or takes back the consent while a campaign runs gets nothing more of it', async (t) => {
  const { run, contact, block, join, counted, rows } = await begin(t)
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

test('a campaign waits for its time, a row for its own, and both for their hours', async (t) => {
  const { run, join, read, counted, clock, pass, contact, lookedAtAll } = await begin(t)
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
  const { run, pause, counted, pass, read } = await begin(t)
  const id = await run(rowsOf(15), { expires_at: '2026-06-10T09:00:00Z' })
  await counted(id, { queued: 10, pending: 5 })
  await pause(id)
  await pass(HOUR)
  await counted(id, { expired: 15 })
  await eventually(async () => (await read(id)).state === 'finished')
})

test('the failed rows that may be tried again become a new draft, and the file has every row', async (t) => {
  const { run, join, counted, retry, rows, csv, read, server, token } = await begin(t)
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
  const { code, params } = wrong.body as { code?: string; params?: object }
  assert.deepEqual([wrong.status, code, params], [409, 'wrong_state', { state: 'finished' }])
})
