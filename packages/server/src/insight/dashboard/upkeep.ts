import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { hourOf } from '#server/messages/messages/moving.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { upkeepStore } from './store.ts'

type Needs = { db: Database; clock: Clock }

/** How often it notes how many devices are connected. */
const SAMPLE_MS = 5 * 60_000
const KEEP_SAMPLES_MS = 8 * 86_400_000
/** More than the two days that the dashboard shows. */
const KEEP_COUNTERS_MS = 3 * 86_400_000
/** Rows that one transaction removes, and how long it then leaves the database to others. */
const STEP = 500
const PAUSE_MS = 50

/**
 * Keeps what the dashboard reads: samples of the devices' presence, and nothing that is too old to be shown. Of several
 * servers one does it; where two think so for a moment, there is one sample of each time all the same.
 */
export function startUpkeep({
  db,
  clock,
  log,
  replica,
}: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  // Not at the start: nobody is connected yet, which says nothing about the devices.
  let sampled = sampleTime(clock)
  return startLoop({
    name: 'dashboard',
    every_ms: SAMPLE_MS,
    log,
    async work() {
      const at = sampleTime(clock)
      const leads = replica.leads()
      if (leads && at !== sampled) await takeSample(db, at)
      sampled = at
      if (leads && (await forgetOld({ db, clock }))) return PAUSE_MS
      return at + SAMPLE_MS - clock.now()
    },
  })
}

/** The last full five minutes, so that the samples of several companies, and of several servers, are of one time. */
function sampleTime(clock: Clock): number {
  return Math.floor(clock.now() / SAMPLE_MS) * SAMPLE_MS
}

/** Notes how many devices of each company are connected, as of `at_ms`. */
export async function takeSample(db: Database, at_ms: number): Promise<void> {
  await db.write((tx) => upkeepStore(tx).sample(instant(at_ms)))
}

/** Removes some of what is too old to be shown. True where there is probably more. */
export async function forgetOld({ db, clock }: Needs): Promise<boolean> {
  const now_ms = clock.now()
  const removed = await db.write(async (tx) => {
    const counters = await upkeepStore(tx).forgetCounters(hourOf(instant(now_ms - KEEP_COUNTERS_MS)), STEP)
    return counters + (await upkeepStore(tx).forgetSamples(instant(now_ms - KEEP_SAMPLES_MS), STEP))
  })
  return removed >= STEP
}
