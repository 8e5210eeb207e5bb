import { join } from 'node:path'
import { startPostgres } from '../../../scripts/postgres.ts'
import { startPostgresPair } from '../../../scripts/postgres-pair.ts'

/** What the servers work on: a PostgreSQL or, where it is to fail over, one with a standby that confirms each commit. */
export type Database = {
  /** Of all there are. */
  readonly url: string
  /** Paths of their sockets. */
  readonly sockets: readonly string[]
  crash(): Promise<void>
  shutDown(): Promise<void>
  start(): Promise<void>
  /** The primary is killed, and after so long its standby is promoted. */
  failOver(after_ms: number): Promise<void>
  /** The dead primary becomes the standby of the one that took over. */
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
