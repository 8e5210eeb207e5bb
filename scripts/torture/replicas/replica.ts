import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { newSettings } from '../installation.ts'
import { openVictim, type Victim } from '../server.ts'
import type { Gate, Gates } from './gates.ts'

/** One of several servers over one database, a process of its own. */
export type Replica = Omit<Victim, 'live'> & {
  readonly name: string
  /** Straight to it, past the balancer. */
  readonly http_port: number
  readonly mqtt_port: number
  readonly mqtt_url: string
  /** Its way to PostgreSQL, which no other server takes. */
  readonly database: Gate
}

/** By what its session for the other servers is told from those that read and write: the name that it has in PostgreSQL. */
export const CHANNEL = 'sms-drone-dash channel'

type Needs = {
  count: number
  folder: string
  /** Of the database, by a socket in a folder. */
  database_url: string
  gates: Gates
  drain_secs: number
}

/** So many servers, none of them started. */
export async function openReplicas({ count, folder, database_url, gates, drain_secs }: Needs) {
  const socket = join(new URL(database_url).searchParams.get('host')!, '.s.PGSQL.5432')
  const replicas: Replica[] = []
  for (let i = 0; i < count; i++) {
    const name = `server-${i + 1}`
    const home = join(folder, name)
    mkdirSync(home, { mode: 0o700 })
    const database = await gates.open(socket)
    const settings = {
      ...(await newSettings(home)),
      DATABASE_URL: `postgres://postgres@127.0.0.1:${database.port}/postgres`,
      PROXIES: '127.0.0.1',
      DRAIN_SECS: String(drain_secs),
    }
    const [http_port, mqtt_port] = [Number(settings.PORT), Number(settings.MQTT_PORT)]
    const mqtt_url = `mqtt://127.0.0.1:${mqtt_port}`
    replicas.push({ ...openVictim(settings), name, http_port, mqtt_port, mqtt_url, database })
  }
  return replicas
}
