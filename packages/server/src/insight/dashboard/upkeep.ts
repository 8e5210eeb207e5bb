import type { Logger } from 'pino'
import { type Clock, DAY_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { hourOf } from '#server/messages/messages/moving.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { upkeepStore } from './store.ts'

type Needs = { db: Database; clock: Clock }

/** The interval between samples of the connected devices. */
const SAMPLE_MS = 5 * MINUTE_MS
/** After a start, devices have this long to come back. */
const BACK_MS = MINUTE_MS
const KEEP_SAMPLES_MS = 8 * DAY_MS
/** The page of a device shows seven days, which may begin a day earlier elsewhere. */
const KEEP_COUNTERS_MS = 8 * DAY_MS
/** Rows to remove in one transaction, and the pause for other work after it. */
const STEP = 500
const PAUSE_MS = 50

/**
 * Maintains the dashboard's data: takes samples of the devices' presence, and removes outdated rows. One of several
 * servers does this. If two believe for a moment that it is their task, there is still one sample for each time.
 */
export function startUpkeep({
  db,
  clock,
  log,
  replica,
}: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  const started_ms = clock.now()
  // Not at the start: no device is connected yet, which says nothing about the devices.
  let sampled = sampleTime(clock)
  return startLoop({
    name: 'dashboard',
    every_ms: SAMPLE_MS,
    log,
    async work() {
      const at = sampleTime(clock)
      const leads = replica.leads()
      const areComingBack = Math.abs(at - started_ms) < BACK_MS
      if (leads && at !== sampled && !areComingBack) await takeSample(db, at)
      sampled = at
      if (leads && (await forgetOld({ db, clock }))) return PAUSE_MS
      return at + SAMPLE_MS - clock.now()
    },
  })
}

/** The last full five minutes, so that samples of all companies and servers share the same times. */
function sampleTime(clock: Clock): number {
  return Math.floor(clock.now() / SAMPLE_MS) * SAMPLE_MS
}

/** Stores how many devices of each company are connected, as of `at_ms`. */
export async function takeSample(db: Database, at_ms: number): Promise<void> {
  await db.write((tx) => upkeepStore(tx).sample(instant(at_ms)))
}

/** Removes some outdated rows. Returns true if there are probably more. */
export async function forgetOld({ db, clock }: Needs): Promise<boolean> {
  const now_ms = clock.now()
  const removed = await db.write(async (tx) => {
    const counters = await upkeepStore(tx).forgetCounters(hourOf(instant(now_ms - KEEP_COUNTERS_MS)), STEP)
    return counters + (await upkeepStore(tx).forgetSamples(instant(now_ms - KEEP_SAMPLES_MS), STEP))
  })
  return removed >= STEP
}
