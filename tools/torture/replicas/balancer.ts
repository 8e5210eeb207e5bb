import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../scripts/free-port.ts'
import { ROOT } from '../../../scripts/run.ts'
import { openGates } from './gates.ts'

/** The load balancer in front of the servers. */
export type Balancer = {
  readonly says: string
  readonly url: string
  readonly mqtt_url: string

  stop(): Promise<void>
}

export type Backend = { http_port: number; mqtt_port: number }

/** The time it needs to notice that a server is not ready, with a margin: the servers' DRAIN_SECS. */
export const HAPROXY_DRAIN_SECS = 5

const HAPROXY_FILE = join(ROOT, 'deploy/haproxy/haproxy.cfg')
const LOOK_EVERY_MS = 200
const PATIENCE_MS = 2_000
const UP_WITHIN_MS = 10_000

export function hasHaproxy(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0
}

/** The machine's HAProxy with the configuration of deploy/; its output goes to a file in `folder`. */
export async function startHaproxy(backends: readonly Backend[], folder: string): Promise<Balancer> {
  const [http_port, mqtt_port] = [await freePort(), await freePort()]
  const servers = backends.flatMap(({ http_port, mqtt_port }, i) => [
    [`SERVER_${i + 1}`, '127.0.0.1'],
    [`HTTP_${i + 1}`, String(http_port)],
    [`MQTT_${i + 1}`, String(mqtt_port)],
  ])
  const child = spawn('haproxy', ['-db', '-f', HAPROXY_FILE], {
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(servers),
      LISTEN_ON: '127.0.0.1',
      LISTEN_HTTP: http_port,
      LISTEN_MQTT: mqtt_port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = createWriteStream(join(folder, 'haproxy.log'))
  for (const stream of [child.stdout, child.stderr]) stream.pipe(said, { end: false })
  const dead = once(child, 'exit')
  const url = `http://127.0.0.1:${http_port}`
  await answers(url)
  return {
    says: 'HAProxy',
    url,
    mqtt_url: `mqtt://127.0.0.1:${mqtt_port}`,
    async stop() {
      child.kill('SIGKILL')
      await dead
    },
  }
}

/** For machines without HAProxy: balances TCP connections, each to a server that recently reported ready. */
export async function startOwnBalancer(backends: readonly Backend[]): Promise<Balancer> {
  const gates = openGates()
  const http = await gates.open()
  const mqtt = await gates.open()
  const ready = new Set<Backend>(backends)
  let stopped = false

  async function watch(backend: Backend): Promise<void> {
    while (!stopped) {
      if (await isReady(backend.http_port)) ready.add(backend)
      else ready.delete(backend)
      // If none is ready, each server says so itself.
      const here = ready.size > 0 ? [...ready] : backends
      http.lead(here.map(({ http_port }) => http_port))
      mqtt.lead(here.map(({ mqtt_port }) => mqtt_port))
      await wait(LOOK_EVERY_MS)
    }
  }

  const watching = backends.map(watch)
  const url = `http://127.0.0.1:${http.port}`
  await answers(url)
  return {
    says: "the tool's own balancer",
    url,
    mqtt_url: `mqtt://127.0.0.1:${mqtt.port}`,
    async stop() {
      stopped = true
      await Promise.all(watching)
      await gates.stop()
    },
  }
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined)
  return answer?.ok ?? false
}

/** The servers already run: it only has to find them. */
async function answers(url: string): Promise<void> {
  const until = performance.now() + UP_WITHIN_MS
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (performance.now() > until) throw new Error('The balancer did not start')
    await wait(50)
  }
}
