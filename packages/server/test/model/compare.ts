import assert from 'node:assert/strict'
import { waitingParams } from '@sdd/contract/dispatch/waiting.ts'
import type { InFlight } from '#server/database/schema.ts'
import { SILENCE_MS } from '#server/dispatch/expiry/expiry.ts'
import { DELIVERY_MS } from '#server/dispatch/reports/reports.ts'
import { reasonsOf } from '#server/dispatch/why-waiting/reasons.ts'
import { waitingFieldsOf } from '#server/dispatch/why-waiting/sentences.ts'
import type { Message as Row } from '#server/messages/messages/rows.ts'
import { ALL_ATTEMPTS, ALL_MESSAGES, type AttemptRow } from '#test/message-tables.ts'
import { recount } from './recount.ts'
import { type Message, rankOf } from './model.ts'
import type { Play } from './playing.ts'

type Watch = { before: Map<number, Row> }

export function openWatch(): Watch {
  return { before: new Map() }
}

/** Times that never change once set. A retried task loses its acceptance. */
const TIMES = [
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'completed_at',
] as const

/** The stored rows must match the model, and be consistent. */
export async function compare(play: Play, watch: Watch): Promise<void> {
  const { db } = play.world
  const rows = await db.read.query<Row>(`select * from ${ALL_MESSAGES} order by id`)
  const attempts = await db.read.query<AttemptRow>(`select * from ${ALL_ATTEMPTS} order by attempt`)
  const byMessage = Map.groupBy(attempts, ({ message_id }) => message_id)
  assert.equal(rows.length, play.messages.length, 'each message is stored once')
  for (const [place, row] of rows.entries()) {
    const message = play.messages[place]!
    assert.deepEqual(seen(row, byMessage.get(row.id) ?? []), expected(message), `the message ${row.guid}`)
    goesForward(watch.before.get(row.id), row)
    watch.before.set(row.id, row)
  }
  for (const { id, connected } of play.allDevices) {
    const [device] = await db.read.query<{ status: string }>('select status from devices where id = :id', {
      id,
    })
    assert.equal(device!.status, connected ? 'connected' : 'disconnected', `the device ${id}`)
  }
  await saysWhy(play, rows)
  await isLookedAt(play)
  await recount(db.read)
}

function seen(row: Row, attempts: readonly AttemptRow[]) {
  return {
    guid: row.guid,
    state: row.state,
    step: row.step,
    device: row.device_id,
    accepted: row.step === 'given' ? row.handed_timestamp !== null : undefined,
    attempts: attempts.map(({ device_id, parts, finished_at, cancel_at }) => ({
      device: device_id,
      parts,
      over: finished_at !== null,
      drop: finished_at === null && cancel_at !== null,
    })),
  }
}

function expected({ guid, state, step, device, accepted, attempts }: Message): ReturnType<typeof seen> {
  return {
    guid,
    state,
    step,
    device: device?.id ?? null,
    accepted: step === 'given' ? accepted : undefined,
    attempts: attempts.map(({ device, parts, over, drop_ms }) => ({
      device: device.id,
      parts,
      over,
      drop: !over && drop_ms !== undefined,
    })),
  }
}

function goesForward(before: Row | undefined, row: Row): void {
  if (!before) return
  const tried_again = before.step === 'given' && row.step === 'waiting'
  for (const time of TIMES) {
    if (before[time] === null || (time === 'handed_timestamp' && tried_again)) continue
    // The network's last report: the message arrived after all.
    if (time === 'answer_2_timestamp' && before.error !== null && row.error === null) continue
    assert.equal(row[time], before[time], `${time} of ${row.guid} is set once`)
  }
  const settled = before.state === 'uncertain' && row.state !== 'queued' && row.state !== 'handed'
  const facts = ({ state, answer_2_timestamp }: Row) => ({
    state,
    undelivered: state === 'failed' && answer_2_timestamp !== null,
  })
  assert.ok(
    tried_again || settled || rankOf(facts(row)) >= rankOf(facts(before)),
    `${row.guid} went from ${before.state} back to ${row.state}`,
  )
}

async function saysWhy({ world, clock }: Play, rows: readonly Row[]): Promise<void> {
  const reasons = await reasonsOf(world.db.read, clock, rows)
  for (const { id, guid, step } of rows) {
    const waiting = reasons.get(id)
    const why = waitingFieldsOf(waiting).waiting_for ?? ''
    if (step === 'finished') assert.equal(waiting, undefined, `${guid} waits for nothing`)
    else assert.match(why, /^[^]{10,400}\.$/, `${guid} says why it waits`)
    if (waiting) assert.deepEqual(waitingParams[waiting.code].parse(waiting.params), waiting.params)
    assert.doesNotMatch(why, /\b(undefined|null|NaN|Invalid|Infinity)\b/, `${guid} says why it waits`)
  }
}

/** The server looks at a message that a device has no later than when it ends it or stops waiting for a report. */
async function isLookedAt({ world, clock }: Play): Promise<void> {
  const rows = await world.db.read.query<InFlight>('select * from in_flight')
  for (const row of rows) {
    const { id, look_at, expires_at, handed_timestamp, completed_at } = row
    const until_ms =
      completed_at !== null
        ? Date.parse(completed_at) + DELIVERY_MS
        : Date.parse(expires_at) + (handed_timestamp === null ? 0 : SILENCE_MS)
    const late = Date.parse(look_at) > Math.max(until_ms, clock.now())
    assert.ok(!late, `the server looks at message ${id} in time: ${JSON.stringify(row)}`)
  }
}
