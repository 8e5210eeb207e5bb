import { randomUUID } from 'node:crypto'
import { CALLBACK_TIMEOUT_MS } from '@sdd/contract/outward/callbacks.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import { whileItLasts } from '#server/core/overlap.ts'
import { taking } from '#server/database/taking.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Figures } from '#server/core/figures.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { CLAIM_MS, type DueRow, dueStore } from './due.store.ts'
import { type Outcome, WEBHOOK_REMOVED } from './outcome.ts'
import type { Posting } from './posting.ts'
import { settle, type Tried } from './settling.ts'
import { signatureHeaders } from './signature.ts'
import { openSlots } from './slots.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  log: Logger
  figures: Pick<Figures, 'callbackTries'>
  posting: Posting
  replica: Pick<Replica, 'leads'>
}

/** How often the loop looks: what is told in a transaction does not wake it. */
const POLL_MS = 100
const SLOTS = { overall: 128, per_host: 8 }
/** What tries came to is written so far apart, many at once: a commit takes as long for one. */
const WRITE_MS = 25
/** With so many that cannot be written, none is tried any more. */
const UNWRITTEN = 1_000
/** What is under way at a stop may take so long; the rest is tried again after the next start. */
const STOP_MS = 3_000

/**
 * Delivers callbacks: a loop over rows that are due. A row under way stays due until what came of it is written. So one
 * that a crash cuts is tried again, with the same `webhook-id`: at least once. Where other servers deliver as well, it is
 * this one's meanwhile: none of them tries it, or what comes later of its task, while this server lives.
 */
export function startDelivery(needs: Needs): Loop {
  const { db, clock, live, log, figures, posting, replica } = needs
  const server = randomUUID()
  const slots = openSlots(SLOTS)
  /** By id: until the outcome is on disk, also where writing it has to wait. */
  const underWay = new Set<number>()
  const tries = new Set<Promise<void>>()
  let tried: Tried[] = []
  let written_ms = 0
  /** The newest callback that browsers were told of, and the host that was called last. */
  let told: number | undefined
  let lastHost = ''

  async function round(): Promise<number | undefined> {
    if (performance.now() - written_ms >= WRITE_MS) await writeTried()
    const { newest, due } = await dueStore(db.read).look(instant(clock.now()))
    await tellOfNew(newest)
    if (due && slots.left() > 0 && tried.length < UNWRITTEN) await startDue()
    return tried.length > 0 ? WRITE_MS : undefined
  }

  async function writeTried(): Promise<void> {
    const writing = tried.slice()
    if (writing.length === 0) return
    const became = await db.write(async (tx) => {
      const became = []
      for (const one of writing) became.push(await settle(tx, one, clock.now()))
      return became
    })
    written_ms = performance.now()
    tried = tried.slice(writing.length)
    for (const { id } of writing) underWay.delete(id)
    for (const one of became) if (one) figures.callbackTries.inc({ outcome: one.outcome })
    for (const company_id of new Set(became.flatMap((one) => one?.company_id ?? [])))
      live.changed(company_id, 'callbacks')
  }

  /** What a stop has cut is tried again at once, by whichever server comes first. */
  async function letGo(): Promise<void> {
    if (underWay.size > 0) await taking(db, (tx) => dueStore(tx).letGo(server, [...underWay]))
  }

  /** One of several servers does, and tells the others. What another stores late is told of with what comes of it. */
  async function tellOfNew(newest: number): Promise<void> {
    if (replica.leads() && told !== undefined && newest > told)
      for (const company_id of await dueStore(db.read).companiesAbove(told))
        live.changed(company_id, 'callbacks')
    told = newest
  }

  /** Hosts take turns: the next look begins behind the one that was called last. */
  async function startDue(): Promise<void> {
    const now = instant(clock.now())
    const hosts = await dueStore(db.read).dueHosts(now)
    const behind = Math.max(
      0,
      hosts.findIndex((host) => host > lastHost),
    )
    const inTurn = [...hosts.slice(behind), ...hosts.slice(0, behind)].filter((host) => slots.room(host) > 0)
    if (inTurn.length === 0) return
    const asked_ms = performance.now()
    const rows = await taking(db, (tx) => takeOf(tx, inTurn, now))
    // Too late to be through before others may take them.
    if (performance.now() - asked_ms > CLAIM_MS - CALLBACK_TIMEOUT_MS) return
    for (const row of rows) start(row)
    lastHost = rows.at(-1)?.host ?? lastHost
  }

  /** As many as there is room for, of these hosts in their order. */
  async function takeOf(tx: Tx, hosts: readonly string[], now: string): Promise<DueRow[]> {
    const taken: DueRow[] = []
    for (let at = 0; at < hosts.length && taken.length < slots.left();) {
      // All at once that there is room for if each has as much as it may.
      const asked: Promise<DueRow[]>[] = []
      for (let left = slots.left() - taken.length; at < hosts.length && left > 0; at++) {
        const room = Math.min(slots.room(hosts[at]!), left)
        asked.push(dueStore(tx).take(server, hosts[at]!, now, [...underWay], room))
        left -= room
      }
      taken.push(...(await Promise.all(asked)).flat())
    }
    return taken
  }

  function start(row: DueRow): void {
    slots.enter(row.host)
    underWay.add(row.id)
    const tried_at_ms = clock.now()
    const trying = attempt(row, tried_at_ms).then((outcome) => {
      tries.delete(trying)
      if (outcome === undefined) return
      slots.leave(row.host, outcome.result === 'delivered')
      tried.push({ id: row.id, server, outcome, tried_at: instant(tried_at_ms) })
      loop.wake()
    })
    tries.add(trying)
  }

  async function attempt(row: DueRow, now_ms: number): Promise<Outcome | undefined> {
    if (row.removed_at !== null) return dead(WEBHOOK_REMOVED)
    const { secret, previous_secret } = row
    if (secret === null) return dead('No API key handed the task in, so there is no secret to sign it with.')
    const overlaps = previous_secret !== null && whileItLasts(row.previous_until, now_ms) !== null
    const secrets = overlaps ? [secret, previous_secret] : [secret]
    try {
      return await posting.post(row, signatureHeaders(secrets, row.webhook_id, now_ms, row.body))
    } catch (error) {
      log.error({ err: error, callback: row.id }, 'A callback could not be tried')
      return { result: 'failed', status: null, error: 'The server could not try it.' }
    }
  }

  const loop = startLoop({ name: 'callbacks', every_ms: POLL_MS, log, work: round })
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      const slow = setTimeout(() => posting.close(), STOP_MS)
      await Promise.all(tries)
      clearTimeout(slow)
      posting.close()
      await writeTried()
        .then(letGo)
        .catch((err: unknown) => log.error({ err }, 'What callbacks came to could not be written'))
    },
  }
}

function dead(error: string): Outcome {
  return { result: 'dead', status: null, error }
}
