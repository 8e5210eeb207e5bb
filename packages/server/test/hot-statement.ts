import type { Engine } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import type { WaitingMessage } from '#server/dispatch/lanes/store.ts'
import type { ReportedMessage } from '#server/messages/messages/reported.store.ts'
import type { HotData } from './hot-data.ts'

/** Statements that run for every message, for every page, or every moment. */
export type HotStatement = {
  name: string
  /** Whether it runs in the writing session. */
  writing: boolean
  run(tx: Tx, data: HotRows): Promise<unknown>
  /** The indexes that it uses, apart from those of tiny tables. */
  uses: readonly string[] | Readonly<Record<Engine, readonly string[]>>
  /** Tables and indexes that it reads from end to end. */
  whole?: readonly string[]
  /** The most rows that it reads of one table, if that is more than usual. */
  reads?: number
}

/** Messages and devices that the statements are about. */
export type HotRows = HotData & {
  given_messages: readonly ReportedMessage[]
  sent_messages: readonly ReportedMessage[]
  ended_messages: readonly ReportedMessage[]
  waiting_messages: readonly WaitingMessage[]
}

export const OURS = { company_id: 1 }

export const PLACES = ['outcomes_pkey', 'in_flight_pkey', 'queue_pkey', 'devices_pkey']
