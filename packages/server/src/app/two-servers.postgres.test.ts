import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { deviceReports, deviceStatus, type SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { Networks } from '@sdd/contract/fleet/devices.ts'
import type { Topic } from '@sdd/contract/core/topic.ts'
import { pino } from 'pino'
import { openAnnouncements } from '#server/app/announcing.ts'
import { settleDelivery } from '#server/outward/callbacks/result.ts'
import { dueStore } from '#server/outward/callbacks/due.store.ts'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { instant, systemClock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { openMetrics } from '#server/core/metrics.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { openTopics } from '#server/fleet/transport/device-topics.ts'
import { openDatabase } from '#server/database/open.ts'
import { createLinkCode } from '#server/fleet/linking/link-codes.ts'
import { capacityStore, holdCapacity } from '#server/fleet/devices/capacity.store.ts'
import { editDevices } from '#server/fleet/devices/changing.ts'
import { keepNetworks } from '#server/fleet/sims/networks.ts'
import { saveSim } from '#server/fleet/sims/saving.ts'
import { linkDevice } from '#server/fleet/linking/linking.ts'
import { handleTopics } from '#server/dispatch/topics.ts'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { openRound } from '#server/dispatch/dispatch.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { addOptOut } from '#server/messages/opt-outs/blocking.ts'
import { openPeers } from '#server/core/replicas/replicas.ts'
import { startReplica } from '#server/fleet/presence/replica.ts'
import { openCompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import { openDestinationRules } from '#server/messages/destinations/rules.ts'
import { saveGlobalSettings } from '#server/accounts/settings/settings.ts'
import { openNumbers } from '#server/accounts/settings/numbers.ts'
import { openHashing } from '#server/accounts/passwords/hashing.ts'
import { openTaskQuota } from '#server/accounts/quotas/enforcing.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { eventually } from '#test/device.ts'
import { preparedDatabase } from '#test/engine.ts'
import { ALL_MESSAGES } from '#test/message-tables.ts'
import { recount } from '#test/model/recount.ts'

/**
 * Two servers run the rules at once over one PostgreSQL: what one reads before it writes, the other must not change in
 * between.
 */
const DEVICES = 8
const TASKS = 120
const clock = systemClock('Europe/Madrid')
const CALLER: Caller = {
  user_id: 1,
  name: 'superadmin',
  role: 'superadmin',
  company_id: 1,
  session_id: 1,
  proved_at: new Date().toISOString(),
  scope: 'all',
  duty: undefined,
  address: '127.0.0.1',
}

type Given = { replica: number; uid: string; command: SendCommand }
type Replica = Awaited<ReturnType<typeof openReplica>>

let url: string
let replicas: Replica[]
const given: Given[] = []

before(async () => {
  url = await preparedDatabase()
  const first = await openDatabase({ url, folder: '' })
  await first.write(async (tx) => {
    await ensureCompany(tx, 1, instant(clock.now()))
    const known = { name: 'superadmin', name_key: '', email: '', email_key: '', password_hash: '' }
    await tx.insert('users', [{ companyId: 1, role: 'superadmin', enabled: 1, created_at: '', ...known }])
  })
  await first.close()
  replicas = [await openReplica(0), await openReplica(1)]
})
after(() => Promise.all(replicas.map((replica) => replica.close())))

/** A server without its sockets. */
async function openReplica(number: number) {
  const db = await openDatabase({ url, folder: '' })
  const log = pino({ level: 'silent' })
  const featureMetrics = openFeatureMetrics(openMetrics())
  const peers = openPeers(db.channel)
  const numbers = await openNumbers({ db, peers, log })
  const live = { changed() {}, deviceStatus() {}, refresh() {}, stop() {} }
  const needs = {
    db,
    ...openAnnouncements(clock),
    diskSpace: { refuseIfShort() {} },
    log,
    securityLog() {},
    featureMetrics,
    numbers,
    companyRoutes: await openCompanyRoutes({ db, numbers }),
    keptMessages: openKeptMessages(),
    destinations: await openDestinationRules({ db }),
    live,
    peers,
    replica: await startReplica({ db, clock, live, log, lost() {} }),
    broker: {
      disconnectDevice() {},
      lastSeen: () => undefined,
      requireReach() {},
      giveSecret: async () => {},
    },
    taskQuota: openTaskQuota(),
    hashing: openHashing(),
    wake() {},
    wakeFor() {},
    giveTo() {},
  }
  const topics = openTopics({ log, dropped: featureMetrics.dropped })
  handleTopics(topics.serve, needs)
  const publish = (uid: string, command: { type: string }) => {
    if (command.type === 'send') given.push({ replica: number, uid, command: command as SendCommand })
    return true
  }
  return {
    needs,
    db,
    round: openRound({ ...needs, publish, publishAnywhere: publish } as never),
    say: (topic: Topic, from: ConnectedDevice, payload: unknown) =>
      topics.received(from, topic, Buffer.from(JSON.stringify(payload))),
    async close() {
      await needs.replica.stop()
      await db.close()
    },
  }
}

const anyReplica = () => replicas[randomInt(replicas.length)]!

test('two servers at once hand over each task once, count all of them, and call back in order', async (t) => {
  const devices = await linkDevices()
  const known = given.length
  const tasks = Array.from({ length: TASKS }, (_, n) => ({
    guid: `task-${n}`,
    to_number: `+34600${String(n % 60).padStart(6, '0')}`,
    text: 'hola',
  }))
  await addWebhook()

  let [busy, reported] = [true, known]
  t.after(() => (busy = false))
  const dispatching = replicas.map(async ({ round }) => {
    while (busy) await round()
  })
  /** Each command is answered through either server, and now and then through both at once. */
  const answering = (async () => {
    while (busy || reported < given.length) {
      const { uid, command } = given[reported] ?? {}
      // The windows of one server's devices cannot take all tasks: without answers, the other server gets its turn.
      if (command === undefined || new Set(given.slice(known).map(({ replica }) => replica)).size < 2) {
        await wait(5)
        continue
      }
      reported++
      const from = devices.get(uid!)!
      const report = { guid: command.guid, attempt: command.attempt, at: instant(clock.now()) }
      const reports = ['accepted', 'sent', 'delivered'].map((state) => ({ ...report, state }))
      void Promise.all(
        [...reports, ...reports].map((one) => anyReplica().say(deviceReports, from, one)),
      ).catch((error: unknown) => failures.push(error))
    }
  })()
  const failures: unknown[] = []
  const settling = replicas.map(async ({ db }, number) => {
    while (busy) await settleDue(db, `server ${number}`)
  })

  // Both servers receive every task at the same time; one of them reports a repetition.
  const results = await Promise.all(
    replicas.map(async ({ needs }) => {
      const mine = []
      for (let from = 0; from < TASKS; from += 20)
        mine.push(...(await submitTasks(needs as never, CALLER, tasks.slice(from, from + 20))))
      return mine
    }),
  )
  for (const [place, one] of results[0]!.entries())
    assert.deepEqual([one.status, results[1]![place]!.status].sort(), ['received', 'repeated'])

  const { db } = replicas[0]!
  const open = () => db.read.query(`select id from ${ALL_MESSAGES} where state <> 'delivered' limit 1`)
  const told = () => db.read.query(`select id from callbacks where state <> 'delivered' limit 1`)
  const end = Date.now() + 60_000
  while ((await open()).length > 0 || (await told()).length > 0) {
    assert.deepEqual(failures, [])
    assert.ok(Date.now() < end, JSON.stringify(await stuck()))
    await wait(50)
  }
  busy = false
  await Promise.all([...dispatching, answering, ...settling])

  const attempts = given.slice(known).map(({ command }) => command.guid)
  assert.equal(attempts.length, TASKS)
  assert.deepEqual(
    [...attempts].sort((a, b) => a.localeCompare(b)),
    tasks.map(({ guid }) => guid).sort((a, b) => a.localeCompare(b)),
  )
  const byReplica = Map.groupBy(given.slice(known), ({ replica }) => replica)
  t.diagnostic([...byReplica].map(([replica, its]) => `server ${replica} gave ${its.length}`).join(', '))
  assert.equal(byReplica.size, 2, 'both servers gave')
  await recount(db.read)
  const counted = await db.read.query<{ key: string; count: number }>(
    `select key, sum(count) as count from counters where figure = 'state' group by key`,
  )
  assert.deepEqual(
    counted.filter(({ count }) => count !== 0),
    [{ key: 'delivered', count: TASKS }],
  )

  async function stuck() {
    const waiting = await db.read.query<object>(
      `select guid, state, step, lane, notes from ${ALL_MESSAGES} where state <> 'delivered' limit 3`,
    )
    const callbacks = await db.read.query<object>(
      `select id, guid, state, due_at from callbacks where state <> 'delivered' limit 3`,
    )
    return { waiting, callbacks, failures: failures.map(String) }
  }
})

test('a number blocked at one server gets no message that another is accepting or handing over at that moment', async () => {
  const devices = await linkDevices()
  const [one, other] = replicas as [Replica, Replica]
  for (let n = 0; n < 25; n++) {
    const to_number = `+3461100${String(n).padStart(4, '0')}`
    const known = given.length
    const blocked = addOptOut(one.needs as never, CALLER, to_number)
    const results = await submitTasks(other.needs as never, CALLER, [
      { guid: `to-blocked-${n}`, to_number, text: 'hola' },
    ])
    await blocked
    await Promise.all([one.round(), other.round()])
    assert.deepEqual(given.slice(known), [], `${results[0]!.status}, and then given`)
  }
  await recount(one.db.read)
  assert.ok(devices.size > 0)
})

test('devices that are disabled together at one server get no message that another is handing over at that moment', async () => {
  const uids = [...(await linkDevices()).keys()]
  const [one, other] = replicas as [Replica, Replica]
  const before = given.length
  const enable = (enabled: boolean) => editDevices(one.needs as never, CALLER, { uids, change: { enabled } })
  for (let n = 0; n < 20; n++) {
    await enable(true)
    const tasks = [0, 1, 2, 3].map((task) => ({
      guid: `to-disabled-${n}-${task}`,
      to_number: '+34622000000',
      text: 'hola',
    }))
    await submitTasks(other.needs as never, CALLER, tasks)
    const handing = Promise.all([one.round(), other.round()])
    // At the beginning of the round, and a little later.
    if (n % 4 > 1) await wait(n % 4)
    await enable(false)
    const known = given.length
    await handing
    assert.deepEqual(given.slice(known), [])
  }
  await enable(true)
  await Promise.all([one.round(), other.round()])
  assert.ok(given.length > before)
  await recount(one.db.read)
})

test('two servers that save settings of a company within a moment know the last ones', async () => {
  const [one, other] = replicas as [Replica, Replica]
  const heard = replicas.map(({ needs }) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    needs.peers.hear({ settings: resolve })
    return promise
  })
  const save = ({ needs }: Replica, change: object) =>
    saveGlobalSettings(needs, CALLER, { spoof_time_secs: 0, send_enabled: true, ...change })
  await save(one, { send_enabled: false })
  await save(other, { default_country: 'FR' })
  await Promise.all(heard)
  for (const { needs } of replicas) await eventually(() => needs.numbers.country(1) === 'FR')
})

test('a device that another server has locked is not held, also if it is released before it is read', async () => {
  const [{ device_id }] = [...(await linkDevices()).values()] as [ConnectedDevice]
  const [one, other] = replicas as [Replica, Replica]
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const changing = other.db.write(
    async (tx) => {
      await holdCapacity(tx, [device_id])
      locked.resolve()
      await release.promise
    },
    { ownCommit: true },
  )
  await locked.promise
  const held = await one.db.write(async (tx) => {
    let first: Promise<unknown> | undefined
    const rows = async (...asked: Parameters<typeof tx.rows>) => {
      if (first === undefined) return (first = tx.rows(...asked))
      await first
      release.resolve()
      await changing
      return tx.rows(...asked)
    }
    return capacityStore({ ...tx, rows } as typeof tx).hold([device_id], one.needs.replica.id(), NOW)
  })
  assert.deepEqual(held, [])
  const free = await one.db.write((tx) => capacityStore(tx).hold([device_id], one.needs.replica.id(), NOW))
  assert.equal(free.length, 1)
})

test('a plan that is saved while the SIM moves to another device counts there', async () => {
  const [from, to] = [...(await linkDevices()).values()] as [ConnectedDevice, ConnectedDevice]
  await nameSim(from, '8934561100000000011')
  await whileSimMoves(to, '8934561100000000011', (needs) =>
    saveSim(needs as never, CALLER, '8934561100000000011', {
      plan: { parts_per_month: 5, recipients_per_month: null, renews_on_day: 1, valid_until: null },
    }),
  )
  assert.deepEqual(await simsIn(from, to), [
    { sim_count: 0, names_sims: 0 },
    { sim_count: 1, names_sims: 1 },
  ])
})

test('a SIM that two devices name at the same moment is in the last one only', async () => {
  const [from, to, last] = [...(await linkDevices()).values()] as [
    ConnectedDevice,
    ConnectedDevice,
    ConnectedDevice,
  ]
  await nameSim(from, '8934561100000000022')
  await whileSimMoves(to, '8934561100000000022', (needs) => nameSim(last, '8934561100000000022', needs))
  assert.deepEqual(await simsIn(from, to, last), [
    { sim_count: 0, names_sims: 0 },
    { sim_count: 0, names_sims: 0 },
    { sim_count: 1, names_sims: 0 },
  ])
})

type Needs = Replica['needs']

function nameSim({ device_id }: ConnectedDevice, iccid: string, needs = replicas[0]!.needs) {
  return needs.db.write((tx) => keepNetworks(tx, needs, [snapshotOf(device_id, iccid)], NOW))
}

function snapshotOf(device_id: number, iccid: string) {
  return { device_id, networks: Networks.parse({ mobile: { sims: [{ iccid }] } }) }
}

/** The other server stores that the SIM is in this device, right after `work` has read the SIM for the first time. */
async function whileSimMoves(
  { device_id }: ConnectedDevice,
  iccid: string,
  work: (needs: Needs) => Promise<unknown>,
): Promise<void> {
  const [{ needs }, other] = replicas as [Replica, Replica]
  const moved = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const moving = other.db.write(
    async (tx) => {
      await keepNetworks(tx, other.needs, [snapshotOf(device_id, iccid)], NOW)
      moved.resolve()
      await read.promise
    },
    { ownCommit: true },
  )
  await moved.promise
  const write: typeof needs.db.write = (run, options) =>
    needs.db.write(async (tx) => {
      const first = async (...asked: Parameters<typeof tx.first>) => {
        const row = await tx.first(...asked)
        if (row === undefined || !('iccid' in (row as object))) return row
        read.resolve()
        await moving
        return row
      }
      return run({ ...tx, first } as typeof tx)
    }, options)
  await work({ ...needs, db: { ...needs.db, write } })
  await moving
}

async function simsIn(...devices: ConnectedDevice[]) {
  const states = devices.map(({ device_id }) =>
    replicas[0]!.db.read.query('select sim_count, names_sims from devices where id = :device_id', {
      device_id,
    }),
  )
  return (await Promise.all(states)).flat()
}

/** Nothing of this test depends on the time. */
const NOW = '2026-06-10T08:00:00.000Z'

let linked: Map<string, ConnectedDevice> | undefined

async function linkDevices(): Promise<Map<string, ConnectedDevice>> {
  if (linked) return linked
  linked = new Map()
  const { code } = await createLinkCode(replicas[0]!.needs as never, CALLER, {
    uses: DEVICES,
    expires_in_secs: 600,
  })
  for (let n = 0; n < DEVICES; n++) {
    const uid = `drone-${n}`
    await linkDevice(anyReplica().needs, { code, uid }, '127.0.0.1')
    const [device] = await replicas[0]!.db.read.query<{ device_id: number; company_id: number }>(
      'select id as device_id, company_id from devices where uid = :uid',
      { uid },
    )
    const connection = await replicas[0]!.db.connectionNumber()
    const from = { connection_id: uid, connection, uid, ...device! }
    linked.set(uid, from)
    await replicas[n % 2]!.say(deviceStatus, from, { status: 'connected', session: uid })
    await anyReplica().db.write((tx) =>
      tx.query('update devices set max_sms_dayly = 1000 where uid = :uid', { uid }),
    )
  }
  return linked
}

/** A webhook that is called when each task is sent and then when it is delivered. */
function addWebhook() {
  const webhook = { company_id: 1, url: 'http://192.0.2.1/', secret: '', created_at: '', created_by: 1 }
  const types = JSON.stringify(['task.sent', 'task.delivered'])
  return anyReplica().db.write((tx) => tx.insert('webhooks', [{ ...webhook, types }]))
}

/** Settles due callbacks as delivery does, with receivers that accept everything. */
async function settleDue(db: Replica['db'], server: string): Promise<void> {
  const now = instant(clock.now())
  const due = await db.write((tx) => dueStore(tx).take(server, '192.0.2.1', now, [], 20))
  const outcome = { result: 'delivered', status: 200, error: null } as const
  if (due.length > 0)
    await db.write(async (tx) => {
      for (const { id } of due) await settleDelivery(tx, { id, server, outcome, tried_at: now }, clock.now())
    })
}
