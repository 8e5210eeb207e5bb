import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import { changeDevice } from '@sdd/contract/fleet/device-changes.ts'
import { HOUR, MINUTE } from './clock.ts'
import { eventually } from './device.ts'
import { givenTo } from './fleet.ts'
import { call } from './server.ts'
import { guidOf, numberOf, openCampaignFleet, rowsOf, sumOf } from './campaign-fleet.ts'

test('a paused campaign hands nothing over and tries nothing again until it is resumed', async (t) => {
  const { run, pause, resume, join, counted, lookedAtAll, pass, hand, server, token } =
    await openCampaignFleet(t)
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

test('a message of a paused campaign says so, also outside its hours', async (t) => {
  const { run, pause, resume, contact, counted, entry, pass } = await openCampaignFleet(t)
  await contact(numberOf(1), { consent: { how: 'web' } })
  const id = await run(rowsOf(1), { class: 'marketing' })
  await counted(id, { queued: 1 })
  const why = async () => (await entry(guidOf(id, 1))).waiting_code
  await pass(11 * HOUR)
  assert.equal(await why(), 'sending_hours')
  await pause(id)
  assert.equal(await why(), 'campaign_paused')
  await resume(id)
  assert.equal(await why(), 'sending_hours')
})

test('the answer to resuming a campaign says why its rows wait now, not that their time has not come', async (t) => {
  const { run, pause, resume, counted } = await openCampaignFleet(t)
  const id = await run(rowsOf(3))
  assert.equal((await counted(id, { queued: 3 })).waiting_code, 'no_device')
  await pause(id)
  assert.equal((await resume(id)).waiting_code, 'no_device')
})

test('a row that is tried again waits as long as any other, not only as long as its first device had for it', async (t) => {
  const { run, pause, resume, join, counted, pass, entry } = await openCampaignFleet(t)
  const id = await run(rowsOf(1))
  const drone = await join('drone')
  await drone.until(1)
  await pause(id)
  await drone.report({ guid: guidOf(id, 1), state: 'failed', code: 'no_network' })
  await eventually(async () => (await entry(guidOf(id, 1))).state === 'queued')
  await pass(25 * HOUR)
  await resume(id)
  await eventually(() => drone.commands.find(({ attempt }) => attempt === 2))
  await drone.report({ guid: guidOf(id, 1), attempt: 2, state: 'sent' })
  await counted(id, { sent: 1 })
})

test('stopping discards what no device has accepted, and a failed attempt is not repeated', async (t) => {
  const { run, stop, join, counted, read, pass, lookedAtAll, rows } = await openCampaignFleet(t)
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
  const { run, stop, remove, join, counted, pass, lookedAtAll, entry } = await openCampaignFleet(t)
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

test('the id of a removed campaign is not used again, so that the next one sends its rows', async (t) => {
  const { run, remove, join, counted, read } = await openCampaignFleet(t)
  const drone = await join('drone')
  const first = await run(rowsOf(1))
  await drone.until(1)
  await drone.report({ guid: guidOf(first, 1), state: 'sent' })
  await eventually(async () => (await read(first)).state === 'finished')
  assert.equal((await remove(first)).status, 204)
  const second = await run(rowsOf(1))
  assert.ok(second > first)
  await drone.until(2)
  assert.equal(drone.commands[1]!.guid, guidOf(second, 1))
  await counted(second, { queued: 1 })
})

test('a campaign with a tag leaves only by devices that have it, also after a failure, while it waits, and after a change', async (t) => {
  const { run, read, preview, create, upload, join, counted, pass, lookedAtAll, entry, server, token } =
    await openCampaignFleet(t)
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
  const { run, pause, resume, join, counted, contact, server, token, pass, lookedAtAll } =
    await openCampaignFleet(t)
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
