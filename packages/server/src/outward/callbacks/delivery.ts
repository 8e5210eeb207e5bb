import { randomUUID } from 'node:crypto'
import { CALLBACK_TIMEOUT_MS } from '@sdd/contract/outward/callbacks.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import { activeOverlap } from '#server/core/rotation-overlap.ts'
import { claimRows } from '#server/database/claim-rows.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { CLAIM_MS, type DueRow, dueStore } from './due.store.ts'
import { type Outcome, troubles, WEBHOOK_REMOVED } from './outcome.ts'
import type { Posting } from './posting.ts'
import { countFailuresInRow, settleDelivery, type TryResult } from './result.ts'
import { requestOf } from './requests.ts'
import { openSlots } from './slots.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  log: Logger
  featureMetrics: Pick<FeatureMetrics, 'callbackTries'>
  posting: Posting
  replica: Pick<Replica, 'leads'>
  /** Acts on what the receiver of an SMS answered. If it resolves to false, the callback is tried again. */
  answered?: (callback: DueRow, answer: string) => Promise<boolean>
}

/** The polling interval. New callbacks do not wake the loop. */
const POLL_MS = 100
const SLOTS = { overall: 128, per_host: 8 }
/** Outcomes are written together at this interval, as a commit takes as long for one as for many. */
const WRITE_MS = 25
/** With this many unwritten outcomes, no further callback is tried. */
const UNWRITTEN = 1_000
/** A stop waits this long for running tries. The others are tried again after the next start. */
const STOP_MS = 3_000

/**
 * Delivers callbacks: a loop over due rows. A row stays due until its outcome is written, so a try that a crash
 * interrupts is repeated with the same `webhook-id`: delivery is at least once.
 * With several servers, a server claims the callback. While it lives, no other server tries that callback or later ones
 * of its task.
 */
export function startDelivery(needs: Needs): Loop {
  const { db, clock, live, log, featureMetrics, posting, replica } = needs
  const server = randomUUID()
  const slots = openSlots(SLOTS)
  /** The ids of callbacks that are being tried, or whose outcome is not on disk yet. */
  const underWay = new Set<number>()
  const tries = new Set<Promise<void>>()
  let tried: TryResult[] = []
  let written_ms = 0
  /** The newest callback at the last look. Later ones are announced. */
  let announced: number | undefined
  /** The host that was called last. */
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
    const results = await db.write(async (tx) => {
      const results = []
      for (const outcome of writing) results.push(await settleDelivery(tx, outcome, clock.now()))
      await countFailuresInRow(
        tx,
        results.flatMap((result) => result ?? []),
      )
      return results
    })
    written_ms = performance.now()
    tried = tried.slice(writing.length)
    for (const { id } of writing) underWay.delete(id)
    for (const result of results) if (result) featureMetrics.callbackTries.inc({ outcome: result.outcome })
    for (const company_id of new Set(results.flatMap((result) => result?.company_id ?? [])))
      live.changed(company_id, 'callbacks')
  }

  /** Releases interrupted tries, so that any server may repeat them at once. */
  async function letGo(): Promise<void> {
    if (underWay.size > 0) await claimRows(db, (tx) => dueStore(tx).letGo(server, [...underWay]))
  }

  /**
   * Only the leading server announces new callbacks. A callback with a lower id that another server commits late is
   * announced only with its outcome.
   */
  async function tellOfNew(newest: number): Promise<void> {
    if (replica.leads() && announced !== undefined && newest > announced)
      for (const company_id of await dueStore(db.read).companiesAbove(announced))
        live.changed(company_id, 'callbacks')
    announced = newest
  }

  /** Hosts take turns: the next round continues after the last host. */
  async function startDue(): Promise<void> {
    const now = instant(clock.now())
    const hosts = await dueStore(db.read).dueHosts(now)
    const next = Math.max(
      0,
      hosts.findIndex((host) => host > lastHost),
    )
    const inTurn = [...hosts.slice(next), ...hosts.slice(0, next)].filter((host) => slots.room(host) > 0)
    if (inTurn.length === 0) return
    const asked_ms = performance.now()
    const rows = await claimRows(db, (tx) => takeOf(tx, inTurn, now))
    // Too late: another server may claim them before their tries end.
    if (performance.now() - asked_ms > CLAIM_MS - CALLBACK_TIMEOUT_MS) return
    for (const row of rows) start(row)
    lastHost = rows.at(-1)?.host ?? lastHost
  }

  /** As many callbacks as there are free slots, from these hosts in order. */
  async function takeOf(tx: Tx, hosts: readonly string[], now: string): Promise<DueRow[]> {
    const taken: DueRow[] = []
    for (let at = 0; at < hosts.length && taken.length < slots.left();) {
      // Starts all the queries that fit in parallel, as if each host had enough callbacks.
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
    if (secret === null && row.format !== 'kannel') return dead(troubles.no_secret.write({}))
    const overlaps = previous_secret !== null && activeOverlap(row.previous_until, now_ms) !== null
    const secrets = [secret ?? '', ...(overlaps ? [previous_secret] : [])]
    const { posted, headers } = requestOf(row, secrets, now_ms)
    try {
      const outcome = await posting.post(posted, headers)
      if (outcome?.result !== 'delivered' || !outcome.answer) return outcome
      if ((await needs.answered?.(row, outcome.answer)) !== false) return outcome
      return { result: 'failed', status: outcome.status, error: troubles.answer_not_sent.write({}) }
    } catch (error) {
      log.error({ err: error, callback: row.id }, 'A callback could not be tried')
      return { result: 'failed', status: null, error: troubles.not_tried.write({}) }
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
        .catch((err: unknown) => log.error({ err }, 'The outcomes of callbacks could not be written'))
    },
  }
}

function dead(error: string): Outcome {
  return { result: 'dead', status: null, error }
}
