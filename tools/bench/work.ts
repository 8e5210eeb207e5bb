import { setTimeout as sleep } from 'node:timers/promises'
import { openBenchFleet } from './fleet.ts'
import { openHttpLoad } from './http.ts'
import { type Access, type BenchServer, linkDevices } from './server.ts'

/** What a message of the measuring says: as long as many are, and in the alphabet of GSM. */
export const textOf = (number: number) =>
  `Your parcel ${number} arrives today between 10 and 12. Track it: example.com/t`

let handed = 0
/** A task like no other before it: to a number of its own, in this run and in those on the same database. */
export function nextTask(): { guid: string; to_number: string; text: string } {
  const number = ++handed
  const to_number = `+34${600_000_000 + ((RUN + number) % 99_999_999)}`
  return { guid: `bench-${RUN.toString(36)}-${number}`, to_number, text: textOf(number) }
}
const RUN = Math.floor(Date.now() / 10)

/** A server with devices that are connected and send all they are given, and what is known of each message. */
export async function startScene(
  server: BenchServer,
  access: Access,
  { devices, connections }: { devices: number; connections: number },
) {
  const prefix = `b${RUN.toString(36)}`
  const accounts = await linkDevices(server, access, { count: devices, prefix })
  return { ...(await startTraffic(server, access, accounts, connections)), accounts }
}

export async function startTraffic(
  server: Pick<BenchServer, 'port' | 'mqtt_port'>,
  { key }: Access,
  accounts: Parameters<typeof openBenchFleet>[1],
  connections: number,
) {
  let delivered = 0
  const awaited = new Map<string, (at_ms: number) => void>()
  const fleet = openBenchFleet(() => server.mqtt_port, accounts, {
    given(guid) {
      const tell = awaited.get(guid)
      if (tell === undefined) return
      awaited.delete(guid)
      tell(performance.now())
    },
    delivered: () => void delivered++,
  })
  await fleet.connected()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const load = openHttpLoad({ port: server.port, connections, headers })

  async function hand(body: unknown): Promise<void> {
    const { status, body: answer } = await load.request('POST /api/external-tasks', JSON.stringify(body))
    if (status !== 202 || answer.includes('"refused"'))
      throw new Error(`A task was answered ${status}: ${answer.slice(0, 300)}`)
  }

  return {
    fleet,
    /** How many have gone the whole way. */
    delivered: () => delivered,
    handOne: (task = nextTask()) => hand(task),
    handBatch: (tasks: number) => hand({ tasks: Array.from({ length: tasks }, () => nextTask()) }),
    /** Hands one in and resolves, in ms, to how long it was on its way to a device. */
    async timeOne(): Promise<number> {
      const task = nextTask()
      const arrived = new Promise<number>((resolve) => awaited.set(task.guid, resolve))
      const began = performance.now()
      await hand(task)
      return (await arrived) - began
    },
    close() {
      load.close()
      return fleet.cut()
    },
  }
}
export type Traffic = Awaited<ReturnType<typeof startTraffic>>

/** Resolves when `count` gives so many; rejects where it stands still for a minute. */
export async function untilCounted(count: () => number, wanted: number): Promise<void> {
  let [last, since] = [count(), performance.now()]
  while (last < wanted) {
    await sleep(2)
    const now = count()
    if (now !== last) [last, since] = [now, performance.now()]
    else if (performance.now() - since > 60_000) throw new Error(`Only ${now} of ${wanted} came through`)
  }
}

/** Resolves when `count` has given the same for a second: nothing is left of what came before. */
export async function untilStill(count: () => number): Promise<void> {
  for (let last = -1; count() !== last;) {
    last = count()
    await sleep(1_000)
  }
}

/** Does `work` so many times, `width` of it at once. */
export async function repeat(times: number, width: number, work: () => Promise<unknown>): Promise<void> {
  let left = times
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/**
 * Does `work` so often a second, however long each takes, for `for_ms` or as long as it shall go on; resolves when all
 * have ended. What is due while `most` are under way is left out.
 */
export async function atRate(
  per_s: number,
  {
    for_ms = Infinity,
    goesOn = () => true,
    most = Infinity,
  }: { for_ms?: number; goesOn?: () => boolean; most?: number },
  work: () => Promise<unknown>,
): Promise<void> {
  const began = performance.now()
  const under_way = new Set<Promise<unknown>>()
  const total = Math.round((per_s * for_ms) / 1_000)
  for (let done = 0; done < total && goesOn();) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) * per_s) / 1_000))
    for (; done < due; done++) {
      if (under_way.size >= most) continue
      const one = work()
      under_way.add(one)
      void one.finally(() => under_way.delete(one)).catch(() => {})
    }
    await sleep(1)
  }
  await Promise.all(under_way)
}
