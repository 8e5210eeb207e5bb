import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import { forgetOrders } from '#server/fleet/orders/orders.ts'
import { forgetTelemetry } from '#server/fleet/telemetry/telemetry.ts'
import { KEEP_MS } from './history.ts'
import { presenceHistory } from '#server/fleet/devices/presence.store.ts'

type Needs = { db: Database; clock: Clock }

/** The server says this often that it runs. */
const BEAT_MS = 60_000
/** Several servers may take turns, and a loaded one may be late: only a longer silence is a gap. */
const SILENCE_MS = 2 * BEAT_MS
/** How often a server asks whether it leads. */
const ASK_MS = 1_000
/** Rows to remove in one transaction, and the pause for other work after it. */
const STEP = 500
const PAUSE_MS = 50
/** How often it looks for old changes. */
const FORGET_MS = 60 * 60_000

/**
 * Notes when no server was running, so that the presence of devices is unknown then, and removes old changes of it,
 * old telemetry and old orders. One of several servers does this.
 */
export function startPresenceUpkeep({
  db,
  clock,
  log,
  replica,
}: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  // The only server knows that none was running before it, however short that was.
  let silence_ms = db.channel === undefined ? 0 : SILENCE_MS
  let forget_at = 0
  const beat = async () => {
    await noteAlive({ db, clock }, silence_ms)
    silence_ms = SILENCE_MS
  }
  const loop = startLoop({
    name: 'presence',
    every_ms: BEAT_MS,
    log,
    async work() {
      if (!replica.leads()) return ASK_MS
      await beat()
      if (performance.now() < forget_at) return
      const more =
        (await forgetPresence({ db, clock })) ||
        (await forgetTelemetry({ db, clock })) ||
        (await forgetOrders({ db, clock }))
      if (more) return PAUSE_MS
      forget_at = performance.now() + FORGET_MS
    },
  })
  return {
    ...loop,
    async stop() {
      await loop.stop()
      // Whatever fails at the end is a gap of at most a minute too much.
      if (replica.leads()) await beat().catch(() => {})
    },
  }
}

/** A server runs. If none has said so for longer than `silence_ms`, none did. */
export async function noteAlive({ db, clock }: Needs, silence_ms: number): Promise<void> {
  const now = instant(clock.now())
  await db.write(async (tx) => {
    const store = presenceHistory(tx)
    const last = await store.lastAlive()
    if (last === undefined) return store.begin(now)
    if (Date.parse(now) - Date.parse(last) <= silence_ms) return store.goOn(now)
    await store.endGap(now)
    await store.begin(now)
  })
}

/** Removes some changes that are older than 30 days. Returns true if there are probably more. */
export async function forgetPresence({ db, clock }: Needs): Promise<boolean> {
  const before = instant(clock.now() - KEEP_MS)
  // Read outside of the write, as many of the old changes are still the latest of their device.
  const old = await presenceHistory(db.read).replaced(before, STEP)
  await db.write(async (tx) => {
    if (old.length > 0) await presenceHistory(tx).forget(old)
    await presenceHistory(tx).forgetGaps(before)
  })
  return old.length === STEP
}
