import { join } from 'node:path'
import { startPostgres } from '../../../scripts/postgres.ts'
import { startPostgresPair } from '../../../scripts/postgres-pair.ts'

/** The servers' database: a PostgreSQL or, for failovers, one with a standby that confirms each commit. */
export type Database = {
  /** The URL with all servers. */
  readonly url: string
  /** The paths of their sockets. */
  readonly sockets: readonly string[]
  crash(): Promise<void>
  shutDown(): Promise<void>
  start(): Promise<void>
  /** Kills the primary, and promotes its standby after this long. */
  failOver(after_ms: number): Promise<void>
  /** Makes the dead primary the standby of the new one. */
  rejoin(): Promise<void>
  stop(): Promise<void>
}

const SOCKET = '.s.PGSQL.5432'

export async function startDatabase({ pair }: { pair: boolean }): Promise<Database> {
  if (pair) {
    const started = await startPostgresPair()
    return { ...started, sockets: started.sockets.map((folder) => join(folder, SOCKET)) }
  }
  const none = () => Promise.reject(new Error('There is no standby'))
  const started = await startPostgres()
  const folder = new URL(started.url).searchParams.get('host')!
  return { ...started, sockets: [join(folder, SOCKET)], failOver: none, rejoin: none }
}
