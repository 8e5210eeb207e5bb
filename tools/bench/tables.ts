import { join } from 'node:path'
import { DATABASE_FILE } from '../../packages/server/src/database/files.ts'
import type { Home } from './server.ts'
import { openPostgresTables } from './tables/postgres.ts'
import { openSqliteTables } from './tables/sqlite.ts'

/** The tables of an installation, read by a second connection while its server runs. */
export type Tables = {
  /** The rows of these tables, and their size with that of their indexes. */
  sizes(tables: readonly string[]): Promise<Size[]>
  /** The size of the whole database. On PostgreSQL, dead rows are removed first. */
  bytes(): Promise<number>
  /** The parts of the database with their bytes. The indexes of a table are a part of their own. */
  parts(): Promise<Part[]>
  /** The number of messages that the search index lacks. The last few may stay out of it until others follow. */
  unindexed(): Promise<number>
  close(): Promise<void>
}
export type Size = { table: string; rows: number; bytes: number }
export type Part = { name: string; bytes: number }

/** A message only passes through these tables, so they stay small however many messages there were. */
export const WORK_TABLES = ['queue', 'in_flight', 'capacity'] as const

export async function openTables({ folder, settings }: Pick<Home, 'folder' | 'settings'>): Promise<Tables> {
  const url = settings['DATABASE_URL']
  return url === undefined
    ? openSqliteTables(join(folder, 'data', DATABASE_FILE))
    : await openPostgresTables(url)
}
