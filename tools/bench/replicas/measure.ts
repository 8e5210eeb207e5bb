import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, openResult, type ResultSheet } from '../bench.ts'
import { perSecond } from '../measures/throughput.ts'
import { type BenchServer, gainAccess, linkDevices, startReplicas } from '../server.ts'
import { repeat, startTraffic, type Traffic } from '../work.ts'
import { watchWaits } from './waits.ts'

/** Tasks per request, and requests under way at once. */
const [BATCH, BATCHES_AT_ONCE] = [500, 2]

/** The results for one number of servers: messages in batches and one by one, and connections. */
export type Sheets = { batches: ResultSheet; single: ResultSheet; connections: ResultSheet }

/**
 * This many servers over one database share the work of one: the same number of devices, requests and connections.
 * Devices and requests are assigned evenly to the servers, because a balancer would cost processor time that is not
 * measured here.
 */
export async function measureReplicas(bench: Bench, replicas: number): Promise<Sheets> {
  const name = `replicas_${replicas}`
  const home = await bench.home(name)
  const url = home.settings['DATABASE_URL']!
  const servers = await startReplicas(home, replicas)
  const access = await gainAccess(servers[0]!)
  const prefix = `r${Date.now().toString(36)}`
  const accounts = await linkDevices(servers[0]!, access, { count: bench.devices, prefix })
  const doors = servers.map(({ port, mqtt_port }) => ({ port, mqtt_port }))
  const parts = await Promise.all(
    doors.map((door, place) =>
      startTraffic(
        door,
        access,
        accounts.filter((_, of) => of % replicas === place),
        { connections: Math.ceil(bench.connections / replicas) },
      ),
    ),
  )
  const traffic = together(parts)
  const sheets = {
    batches: openResult('batches'),
    single: openResult('single'),
    connections: openResult('reconnect'),
  }
  const batches = Math.ceil(bench.messages / BATCH)
  const inBatches = () =>
    repeat(batches, BATCHES_AT_ONCE, () => traffic.handBatch(Math.min(BATCH, bench.messages)))
  const oneByOne = () => repeat(bench.messages, bench.connections, () => traffic.handOne())
  // A round that does not count: code is compiled when it first runs.
  await perSecond(bench.messages, traffic, inBatches)
  await bench.postgres!.settle(name)
  bench.say(`${replicas} servers: ready`)

  async function measured(sheet: ResultSheet, hand: () => Promise<void>): Promise<void> {
    const [costs, before] = [await bench.costs(...servers), await bench.postgres!.look()]
    const watching = await watchWaits(url)
    const [began, cpu] = [performance.now(), process.cpuUsage()]
    const per_s = await sheet.watched(() => perSecond(bench.messages, traffic, hand))
    const { user, system } = process.cpuUsage(cpu)
    const took_s = (performance.now() - began) / 1_000
    const waits = await watching.stop()
    sheet.value(per_s)
    sheet.figure('messages/s', per_s)
    await costs(sheet, 'message', bench.messages)
    sheet.figure('generator CPU µs a message', (user + system) / bench.messages)
    for (const [seen, name] of SEEN) sheet.figure(`% of the time ${name}`, waits.share(seen) * 100)
    for (const [table, share] of waits.tables().slice(0, 4))
      sheet.figure(`% of the time a lock in ${table}`, share * waits.share('lock') * 100)
    const { deadlocks } = await settled(bench)
    sheet.figure('deadlocks', deadlocks - before.deadlocks)
    sheet.figure('s', took_s)
  }

  for (let round = 1; round <= bench.rounds; round++) {
    await measured(sheets.batches, inBatches)
    await measured(sheets.single, oneByOne)
    await comeBack(bench, servers, traffic, sheets.connections)
    bench.say(`${replicas} servers: round ${round} of ${bench.rounds}`)
  }
  if (replicas > 1) await failOver(servers, parts, doors, sheets.connections)
  await traffic.close()
  for (const server of servers) if (!server.child.ended()) await bench.close(server)
  return sheets
}

const SEEN = [
  ['lock', 'locked'],
  ['disk', 'at the disk'],
  ['inside', 'inside'],
  ['works', 'at work'],
  ['server', 'waiting for its server'],
  ['idle', 'idle'],
] as const

/** PostgreSQL's sessions publish their counts once a second. */
async function settled(bench: Bench) {
  await sleep(1_100)
  return bench.postgres!.look()
}

/** All devices lose their connections and reconnect at the same moment. */
async function comeBack(
  bench: Bench,
  servers: readonly BenchServer[],
  { cut, connected }: Together,
  sheet: ResultSheet,
): Promise<void> {
  await cut()
  const costs = await bench.costs(...servers)
  const began = performance.now()
  await sheet.watched(connected)
  sheet.figure('s until all are connected', (performance.now() - began) / 1_000)
  await costs(sheet, 'device', bench.devices)
}

/** One server dies, and its devices reconnect to the others. */
async function failOver(
  servers: readonly BenchServer[],
  parts: readonly Traffic[],
  doors: { port: number; mqtt_port: number }[],
  sheet: ResultSheet,
): Promise<void> {
  const [last, its] = [servers.at(-1)!, parts.at(-1)!]
  const began = performance.now()
  Object.assign(doors.at(-1)!, doors[0])
  await last.child.stop('SIGKILL')
  while (its.fleet.devices.some(({ live }) => !live)) await sleep(5)
  sheet.figure('s after one has died until its devices are elsewhere', (performance.now() - began) / 1_000)
}

type Together = ReturnType<typeof together>

/** Submits to each part in turn. */
function together(parts: readonly Traffic[]) {
  let turn = 0
  const next = () => parts[turn++ % parts.length]!
  return {
    delivered: () => parts.reduce((sum, { delivered }) => sum + delivered(), 0),
    handOne: () => next().handOne(),
    handBatch: (tasks: number) => next().handBatch(tasks),
    cut: async () => void (await Promise.all(parts.map(({ fleet }) => fleet.cut()))),
    connected: async () => void (await Promise.all(parts.map(({ fleet }) => fleet.connected()))),
    close: async () => void (await Promise.all(parts.map(({ close }) => close()))),
  }
}
