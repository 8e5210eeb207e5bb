import { setTimeout as sleep } from 'node:timers/promises'
import { proveTasks } from '../../packages/simulator/src/proof.ts'
import { countOpen, readServerBooks } from '../../packages/simulator/src/torture/server-books.ts'
import type { TorturedDevices } from '../../packages/simulator/src/torture/devices.ts'
import { judge } from '../../packages/simulator/src/torture/verdict.ts'
import type { Parties } from './parties.ts'

export type Comparison = {
  tasks: number
  sms: number
  acknowledged: number
  /** Messages by final state. */
  ends: Record<string, number>
  on_air: number
  /** Reports of devices that the server acknowledged. */
  reports: number
  callbacks: { heard: number; repeated: number }
  devices: ReturnType<TorturedDevices['counts']>
  observed: { entries: number; looks: number }
  /** One sentence for each fault. */
  faults: string[]
}

type Needs = {
  server_url: string
  token: string
  key: string
  parties: Parties
  /** The UTC date of the start. */
  day: string
  settle_within_ms: number
}

const LOOK_EVERY_MS = 250
/** Everything is settled after this many checks without news, with nothing waiting. */
const QUIET_LOOKS = 4

/** Lets everything finish undisturbed, and compares the records of all parties. */
export async function compareInPeace(needs: Needs): Promise<Comparison> {
  const { server_url, token, key, day } = needs
  const { load, devices, receiver, observer } = needs.parties
  await load.finish()
  await devices.calm()
  const until = performance.now() + needs.settle_within_ms
  await settled({ url: server_url, token }, devices, until)
  const patience_ms = Math.max(1_000, until - performance.now())
  const proof = await proveTasks({ server_url, key, submitter: load.tasks, receiver, patience_ms })
  const books = devices.books()
  const server = await readServerBooks({ url: server_url, token }, books)
  await observer.stop()
  const same_day = today() === day
  const { tasks } = load.tasks
  const { sent, surprises } = load.console
  const breaches = devices.breaches()
  return {
    tasks: tasks.size,
    sms: sent.length,
    acknowledged: load.acknowledged(),
    ends: Object.fromEntries(
      [...Map.groupBy(server.log, ({ state }) => state)].map(([state, { length }]) => [state, length]),
    ),
    on_air: [...books.attempts.values()].flat().reduce((sum, { on_air }) => sum + on_air, 0),
    reports: books.committed,
    callbacks: { heard: receiver.heard.length, repeated: receiver.repetitions() },
    devices: devices.counts(),
    observed: observer.seen(),
    faults: [
      ...proof.faults,
      ...surprises,
      ...judge({ tasks, sent, ...server, same_day, books }),
      ...observer.faults,
      ...breaches.map(({ code, uid, guid, detail }) => `${code} on ${uid} ${guid ?? ''}: ${detail}`),
    ],
  }
}

export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Resolves once every message has ended and every report is acknowledged, or when the time is over. */
async function settled(
  server: { url: string; token: string },
  devices: Pick<TorturedDevices, 'books'>,
  until: number,
): Promise<void> {
  let quiet = 0
  let committed = 0
  while (quiet < QUIET_LOOKS && performance.now() < until) {
    await sleep(LOOK_EVERY_MS)
    const books = devices.books()
    const still = books.waiting === 0 && books.committed === committed && (await countOpen(server)) === 0
    quiet = still ? quiet + 1 : 0
    committed = books.committed
  }
}
