import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { CallbackType } from '@sdd/contract/outward/callbacks.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { sql } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { pino } from 'pino'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { type Clock, instant, systemClock } from '#server/core/clock.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import type { Change, Messages } from '#server/database/schema.ts'
import type { Callbacks, Webhooks } from '#server/database/task-tables.ts'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { addMessage, moveMessage } from '#server/messages/messages/moving.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { giveMessages } from '#server/messages/messages/store.ts'
import { openAddresses } from '#server/outward/callbacks/addresses.ts'
import { startDelivery } from '#server/outward/callbacks/delivery.ts'
import { openPosting, type Posting } from '#server/outward/callbacks/posting.ts'
import { openAnnouncements } from '#server/app/announcing.ts'
import { newWebhookSecret } from '#server/core/secrets.ts'
import { eventually } from './device.ts'
import { databaseOf, forgetDatabase } from './engine.ts'
import { ALL_MESSAGES } from './message-tables.ts'
import { type Answer, type Received, startReceiver } from './receiver.ts'

type Bench = Awaited<ReturnType<typeof openBench>>

/**
 * A database with a company and its API key, and a stopped clock; delivery is started separately. It uses the engine of
 * this run, or the PostgreSQL behind `url`.
 */
export async function openBench(t: TestContext, given: { url?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-callbacks-'))
  const url = given.url ?? (await databaseOf(folder))
  const db = await openDatabase({ folder, url })
  /** Called in this order, and only then is the database closed. */
  const ends: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const end of ends) await end()
    await db.close()
    await forgetDatabase(folder)
    rmSync(folder, { recursive: true })
  })
  let now_ms = Date.now()
  const clock: Clock = { ...systemClock('Europe/Madrid'), now: () => now_ms }
  const now = () => instant(now_ms)
  const moving = openAnnouncements(clock)
  const company_id = await db.write((tx) => createCompany(tx, 'Shop', now()))
  const secret = newWebhookSecret()
  const key = { company_id, name: 'shop', key_hash: 'x', hint: 'x', may: '[]', webhook_secret: secret }
  const api_key_id = await db.write((tx) => tx.insertRow('api_keys', { ...key, created_at: now() }))
  const changed: string[] = []
  const live = {
    changed: (company: number, ...what: string[]) => void changed.push(`${company} ${what.join(' ')}`),
    deviceStatus() {},
    stop() {},
  }

  return {
    db,
    atEnd: (end: () => Promise<void>) => void ends.push(end),
    clock,
    live,
    changed,
    company_id,
    secret,
    advance: (ms: number) => void (now_ms += ms),

    /** Submits a task whose callbacks go to `callback_url`. */
    task: (guid: string, callback_url: string | null, more: Change<Messages> = {}) =>
      db.write((tx) =>
        addMessage(tx, moving, {
          ...newTask,
          ...times(now_ms),
          company_id,
          api_key_id,
          guid,
          callback_url,
          ...more,
        }),
      ),

    /** Gives a task to a device, as a claim would. */
    give: (guid: string) =>
      db.write(async (tx) => {
        const message = (await tx.first(BY_GUID, { guid }))!
        const given = { device_id: 1, attempt: message.attempt + 1, notes: null, sim_id: null }
        await giveMessages(tx, [{ message, ...given, assigned_at: now(), look_at: message.expires_at }])
      }),

    /** Ends a task, as a report would. */
    end: (guid: string, state: MessageState, more: Change<Message> = {}) =>
      db.write(async (tx) => {
        const message = await tx.first(BY_GUID, { guid })
        await moveMessage(tx, moving, message!, { state, step: 'finished', completed_at: now(), ...more })
      }),

    async webhook(url: string, types: CallbackType[], more: Change<Webhooks> = {}) {
      const secret = newWebhookSecret()
      const row = { company_id, url, types: JSON.stringify(types), secret, created_at: now(), ...more }
      const id = await db.write((tx) => tx.insertRow('webhooks', row))
      return { id, secret }
    },

    callbacks: () => db.read.rows(CALLBACKS),

    /** Delivers until the test ends or stops it. */
    deliver(needs: { posting?: Posting; db?: Database } = {}) {
      const featureMetrics = openFeatureMetrics(openMetrics())
      const posting = needs.posting ?? anywhere()
      const delivery = startDelivery({
        db: needs.db ?? db,
        clock,
        live,
        featureMetrics,
        posting,
        replica: { leads: () => true },
        log: pino({ level: 'silent' }),
      })
      ends.push(() => delivery.stop())
      return { ...delivery, featureMetrics }
    },
  }
}

const BY_GUID = sql<Message, { guid: string }>`select * from ${ALL_MESSAGES} where guid = :guid`
const CALLBACKS = sql<Selectable<Callbacks>>`select * from callbacks order by id`

/** A bench, and a receiver without requests so far. */
export async function openReceiving(t: TestContext, answer?: Answer) {
  const bench = await openBench(t)
  const receiver = await startReceiver(answer)
  bench.atEnd(receiver.stop)
  return {
    ...bench,
    receiver,
    until: (count: number) => received(receiver, count),
    passRound: await openRounds(bench),
  }
}

/**
 * Returns a function that resolves when all callbacks due now have been tried, shown by a later one to its own
 * receiver.
 */
export async function openRounds({ task, end, callbacks, atEnd }: Bench) {
  const probe = await startReceiver()
  atEnd(probe.stop)
  let probes = 0
  return async () => {
    const probe_guid = `probe ${++probes}`
    await task(probe_guid, probe.url)
    await end(probe_guid, 'sent')
    await eventually(async () =>
      (await callbacks()).some(({ guid, state }) => guid === probe_guid && state === 'delivered'),
    )
  }
}

/** The receiver's first requests, once it has this many. */
function received(receiver: { received: Received[] }, count: number): Promise<Received[]> {
  return eventually(() => receiver.received.length >= count && receiver.received)
}

export const told = ({ body }: Received) => `${body.task.guid} ${body.type}`

/** Posts to any address but resolves no names. */
export function anywhere(): Posting {
  return openPosting({
    addresses: openAddresses({ CALLBACK_ADDRESSES: 'any' }, () => Promise.reject(new Error('no name'))),
  })
}

const newTask = {
  message: 'text',
  message_to: '+34600111222',
  parts: 1,
  priority: 1,
  silent: 0,
  task: 1,
} as const

function times(now_ms: number) {
  const queue_timestamp = instant(now_ms)
  return { queue_timestamp, due_at: queue_timestamp, expires_at: instant(now_ms + 86_400_000) }
}
