import assert from 'node:assert/strict'
import type { Tx } from '#server/database/schema.ts'
import { ALL_ATTEMPTS, ALL_DEVICES, ALL_MESSAGES, MISPLACED, wrongDays } from '#test/message-tables.ts'

/**
 * Stored counts must equal a count of the rows, and rows must be consistent. Each query lists faults, and returns none.
 */
export async function recount(tx: Tx): Promise<void> {
  for (const [what, query] of Object.entries({ ...MISPLACED, ...WRONG }))
    assert.deepEqual(await tx.query(query), [], what)
  assert.deepEqual(
    await wrongDays((text) => tx.query(text)),
    [],
    'a device counts the SMS reserved on its day',
  )
}

const counts = (counter: string, table: string, condition: string) => {
  const counted = `(select count(*) from ${table} where ${condition})`
  return `select id, ${counter}, ${counted} as counted from ${ALL_DEVICES} where ${counter} <> ${counted}`
}

const WRONG = {
  'a device counts what waits for it': counts(
    'queued',
    'queue',
    'queue.device_id = devices.id and lane is null',
  ),
  'a device counts the tasks in its own lane': counts('sticky', 'queue', "lane = 'device:' || devices.id"),
  'a device counts what it has and has not finished': counts(
    'unfinished',
    ALL_ATTEMPTS,
    'attempts.device_id = devices.id and finished_at is null',
  ),
  'no count is negative':
    'select device_id from capacity where queued < 0 or sticky < 0 or unfinished < 0 or sent_parts < 0',
  'lanes count what waits in them': `select * from (
      select company_id, lane, sum(waiting) as waiting from (
        select company_id, lane, waiting from lanes
        union all
        select company_id, lane, -1 from queue where lane is not null and lane not like 'device:%') as all_lanes
      group by company_id, lane) as sums
     where waiting <> 0`,
  'the dashboard counts each state by the hour': `select * from (
      select company_id, period, key, sum(count) as count from (
        select company_id, period, key, count from counters where figure = 'state'
        union all
        select company_id, substr(queue_timestamp, 1, 13), state, -1 from ${ALL_MESSAGES}) as both_counts
      group by company_id, period, key) as sums
     where count <> 0`,
  'an empty lane has no row': 'select * from lanes where waiting <= 0',
  'only a task that waits is in a lane, and then no device has it': `select id, guid, step, lane, device_id from ${ALL_MESSAGES}
     where (lane is not null) <> (task = 1 and step = 'waiting') or (lane is not null and device_id is not null)`,
  'a message has at most one open attempt': `select message_id from ${ALL_ATTEMPTS} where finished_at is null group by message_id having count(*) > 1`,
  'what a device has is its latest attempt, and open': `select id, guid from ${ALL_MESSAGES} where step = 'given' and not exists (
      select 1 from ${ALL_ATTEMPTS} where message_id = messages.id and attempts.attempt = messages.attempt
        and finished_at is null and attempts.device_id = messages.device_id)`,
  'what is still open of a message that has ended, its device shall drop': `select messages.id, guid from ${ALL_MESSAGES} join ${ALL_ATTEMPTS} on message_id = messages.id
     where step <> 'given' and finished_at is null and attempts.cancel_at is null`,
  'a message has ended, or it has no time of its end': `select id, guid, step, completed_at from ${ALL_MESSAGES} where (step = 'finished') <> (completed_at is not null)`,
  'attempts are counted up': `select id, attempt from ${ALL_MESSAGES}
     where attempt <> (select count(*) from ${ALL_ATTEMPTS} where message_id = messages.id)
       or attempt <> coalesce((select max(attempts.attempt) from ${ALL_ATTEMPTS} where message_id = messages.id), 0)`,
  'an error has a code, a sentence and a time, or nothing of it': `select id, guid from ${ALL_MESSAGES} where (error is null) <> (error_msg is null)
       or (error is null) <> (error_timestamp is null)`,
  'what failed says why': `select id, guid, state from ${ALL_MESSAGES}
     where state in ('failed', 'uncertain', 'expired', 'cancelled') and error is null`,
}
