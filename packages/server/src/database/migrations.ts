import type { Migration } from '@sdd/storage/migrate.ts'
import { createFirstSchema } from './tables.ts'
import type { Schema } from './schema.ts'

/** In the order in which they run. A name never changes once it is released. */
export const migrations: readonly Migration<Schema>[] = [{ name: '0001-first', up: createFirstSchema }]
