import { limit, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

/** An attempt that counts on a SIM. */
export type CountedAttempt = { id: number; given_at: string; parts: number; number: string }

type Asked = { sim_id: number; device_id: number; below: number; limit: number }

/** The attempts of a device that count on a SIM, newest message first, each kind in parts of at most `limit`. */
export function attemptsOn(tx: Tx, sim_id: number, device_id: number) {
  return KINDS.map(
    (statement) => (below: number, most: number) =>
      tx.rows(statement, { sim_id, device_id, below, limit: most }),
  )
}

const IN_FLIGHT = sql<CountedAttempt, Asked>`
  select in_flight.id, assigned_at as given_at, parts, message_to as number
  from in_flight cross join messages
  where in_flight.device_id = :device_id and in_flight.id < :below and sim_id = :sim_id
    and messages.id = in_flight.id
  order by in_flight.id desc ${limit()}`

/** A latest attempt with a row of its own is in `attempts`. */
const ENDED = sql<CountedAttempt, Asked>`
  select outcomes.id, assigned_at as given_at, coalesce(attempt_parts, parts) as parts, message_to as number
  from outcomes cross join messages
  where outcomes.device_id = :device_id and outcomes.id < :below and sim_id = :sim_id
    and attempt_state is not null and messages.id = outcomes.id
  order by outcomes.id desc ${limit()}`

const BEFORE = sql<CountedAttempt, Asked>`
  select message_id as id, given_at, attempts.parts, message_to as number
  from attempts cross join messages
  where attempts.device_id = :device_id and message_id < :below and sim_id = :sim_id
    and messages.id = message_id
  order by message_id desc ${limit()}`

const KINDS = [IN_FLIGHT, ENDED, BEFORE]
