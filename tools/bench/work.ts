import { setTimeout as sleep } from 'node:timers/promises'
import { openBenchFleet } from './fleet.ts'
import { openHttpLoad } from './http.ts'
import { type Access, type BenchServer, linkDevices } from './server.ts'

/** A typical text: of common length, and in the GSM alphabet. */
export const textOf = (number: number) =>
  `Your parcel ${number} arrives today between 10 and 12. Track it: example.com/t`

let handed = 0
/** A new task to its own number, unique in this run and in others on the same database. */
export function nextTask(): { guid: string; to_number: string; text: string } {
  const number = ++handed
  const to_number = `+34${600_000_000 + ((RUN + number) % 99_999_999)}`
  return { guid: `bench-${RUN.toString(36)}-${number}`, to_number, text: textOf(number) }
}
const RUN = Math.floor(Date.now() / 10)

/** A server with connected devices that send everything they get, and the progress of each message. */
export async function startScene(
  server: BenchServer,
  access: Access,
  { devices, connections, most_reports }: { devices: number; connections: number; most_reports?: number },
) {
  const prefix = `b${RUN.toString(36)}`
  const accounts = await linkDevices(server, access, { count: devices, prefix })
  return { ...(await startTraffic(server, access, accounts, { connections, most_reports })), accounts }
}

export async function startTraffic(
  server: Pick<BenchServer, 'port' | 'mqtt_port'>,
  { key }: Access,
  accounts: Parameters<typeof openBenchFleet>[1],
  { connections, most_reports }: { connections: number; most_reports?: number | undefined },
) {
  let delivered = 0
  const awaited = new Map<string, (at_ms: number) => void>()
  const on = {
    given(guid: string) {
      const tell = awaited.get(guid)
      if (tell === undefined) return
      awaited.delete(guid)
      tell(performance.now())
    },
    delivered: () => void delivered++,
  }
  const fleet = openBenchFleet(() => server.mqtt_port, accounts, on, most_reports)
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
    /** The number of messages that have gone the whole way. */
    delivered: () => delivered,
    handOne: (task = nextTask()) => hand(task),
    handBatch: (tasks: number) => hand({ tasks: Array.from({ length: tasks }, () => nextTask()) }),
    /** Submits a message; resolves to the time until a device has it, in ms. */
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

/** Resolves when `count` reaches `wanted`; rejects if it does not change for a minute. */
export async function untilCounted(count: () => number, wanted: number): Promise<void> {
  let [last, since] = [count(), performance.now()]
  while (last < wanted) {
    await sleep(2)
    const now = count()
    if (now !== last) [last, since] = [now, performance.now()]
    else if (performance.now() - since > 60_000) throw new Error(`Only ${now} of ${wanted} came through`)
  }
}

/** Resolves when `count` has not changed for a second, so that nothing earlier is left. */
export async function untilStill(count: () => number): Promise<void> {
  for (let last = -1; count() !== last;) {
    last = count()
    await sleep(1_000)
  }
}

/** Does `work` this many times, `width` at once. */
export async function repeat(times: number, width: number, work: () => Promise<unknown>): Promise<void> {
  let left = times
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/**
 * Does `work` this often a second, however long each takes, for `for_ms` or until told to stop; resolves when all have
 * ended. It skips a start while `most` are under way.
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
