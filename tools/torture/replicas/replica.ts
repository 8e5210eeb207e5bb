import { buildServer } from '../../../scripts/build-server.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { newSettings } from '../installation.ts'
import { openVictim, type Victim } from '../server.ts'
import type { Gate, Gates } from './gates.ts'

/** One of several servers over one database, in its own process. */
export type Replica = Omit<Victim, 'live'> & {
  readonly name: string
  /** Directly to it, past the balancer. */
  readonly http_port: number
  readonly mqtt_port: number
  readonly mqtt_url: string
  /** Its own connection to PostgreSQL, which no other server uses. */
  readonly database: Pick<Gate, 'set' | 'bar'>
}

/** The PostgreSQL name of its session for events between servers, which tells it from those that read and write. */
export const CHANNEL = 'sms-drone-dash channel'

type Needs = {
  count: number
  folder: string
  /** Of the database's servers. */
  sockets: readonly string[]
  gates: Gates
  drain_secs: number
}

/** This many servers, all of them stopped. */
export async function openReplicas({ count, folder, sockets, gates, drain_secs }: Needs) {
  await buildServer()
  const replicas: Replica[] = []
  for (let i = 0; i < count; i++) {
    const name = `server-${i + 1}`
    const home = join(folder, name)
    mkdirSync(home, { mode: 0o700 })
    const ways: Gate[] = []
    for (const socket of sockets) ways.push(await gates.open(socket))
    const servers = ways.map(({ port }) => `127.0.0.1:${port}`).join()
    const settings = {
      ...(await newSettings(home)),
      DATABASE_URL: `postgres://postgres@${servers}/postgres`,
      PROXIES: '127.0.0.1',
      DRAIN_SECS: String(drain_secs),
    }
    const [http_port, mqtt_port] = [Number(settings.PORT), Number(settings.MQTT_PORT)]
    const mqtt_url = `mqtt://127.0.0.1:${mqtt_port}`
    replicas.push({ ...openVictim(settings), name, http_port, mqtt_port, mqtt_url, database: together(ways) })
  }
  return replicas
}

function together(ways: readonly Gate[]): Pick<Gate, 'set' | 'bar'> {
  return {
    set(state) {
      for (const way of ways) way.set(state)
    },
    bar(text, state) {
      for (const way of ways) way.bar(text, state)
    },
  }
}
