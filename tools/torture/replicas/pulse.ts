import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { listDevices } from '../../../packages/contract/src/fleet/devices.ts'
import { saveDeviceLimit } from '../../../packages/contract/src/fleet/limits.ts'

/** One request through the balancer. */
export type Beat = {
  readonly at: number
  readonly ms: number
  readonly kind: 'write' | 'read'
  /** The status of its answer, or the error. */
  readonly said: number | string
}

export type Pulse = {
  readonly beats: readonly Beat[]
  /** The requests that began in this time and were not answered with 2xx. */
  failed(from: number, to: number): Beat[]
  /** The time after `from` until a write was answered with 2xx again, at least `least_ms`. */
  storedAfter(from: number, least_ms: number): number | undefined
  /** Resolves when this many consecutive requests from now on were answered with 2xx, to the start of the first one. */
  steady(): Promise<number>
  stop(): Promise<void>
}

type Needs = {
  url: string
  token: string
  /** The device whose daily limit is written repeatedly. */
  uid: string
}

const EVERY_MS = 200
/** The same patience as programs with our client. */
const PATIENCE_MS = 30_000
const STEADY = 5

/**
 * Writes and reads through the balancer all the time, whatever the last request's outcome. A write uses a new
 * connection each time, as programs often do; a read uses a keep-alive one, as browsers do. Times are
 * performance.now().
 */
export function startPulse({ url, token, uid }: Needs): Pulse {
  const beats: Beat[] = []
  const kept = new Agent({ keepAlive: true, maxSockets: 4, scheduling: 'fifo' })
  const under_way = new Set<Promise<void>>()
  let limit = 0
  let stopped = false

  function ask(kind: Beat['kind']): Promise<number | string> {
    const write = kind === 'write'
    const body = write ? JSON.stringify({ uid, max_sms_dayly: 1_000 + (limit++ % 1_000) }) : undefined
    return new Promise((resolve) => {
      const asked = request(
        `${url}${(write ? saveDeviceLimit : listDevices).path}`,
        {
          method: write ? 'POST' : 'GET',
          agent: write ? false : kept,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          },
          signal: AbortSignal.timeout(PATIENCE_MS),
        },
        (answer) => {
          answer.on('error', (error) => resolve(error.message))
          answer.on('end', () => resolve(answer.statusCode!)).resume()
        },
      )
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      asked.end(body)
    })
  }

  async function beat(kind: Beat['kind']): Promise<void> {
    const at = performance.now()
    const said = await ask(kind)
    beats.push({ at, ms: performance.now() - at, kind, said })
  }

  async function go(): Promise<void> {
    while (!stopped) {
      for (const kind of ['write', 'read'] as const) {
        const one: Promise<void> = beat(kind).finally(() => under_way.delete(one))
        under_way.add(one)
        await wait(EVERY_MS / 2)
      }
    }
    await Promise.all(under_way)
    kept.destroy()
  }

  const going = go()
  return {
    beats,
    failed: (from, to) => beats.filter((beat) => beat.at >= from && beat.at <= to && !isOk(beat)),
    storedAfter(from, least_ms) {
      const ends = beats
        .filter((beat) => beat.kind === 'write' && isOk(beat))
        .map(({ at, ms }) => at + ms - from)
        .filter((ms) => ms >= least_ms)
      return ends.length > 0 ? Math.min(...ends) : undefined
    },
    async steady() {
      const from = performance.now()
      for (;;) {
        const since = beats.filter(({ at }) => at >= from).sort((a, b) => a.at - b.at)
        const last_bad = since.findLastIndex((beat) => !isOk(beat))
        const good = since.slice(last_bad + 1)
        if (good.length >= STEADY) return good[0]!.at
        await wait(EVERY_MS / 2)
      }
    },
    async stop() {
      stopped = true
      await going
    },
  }
}

export function isOk({ said }: Pick<Beat, 'said'>): boolean {
  return typeof said === 'number' && said < 300
}
