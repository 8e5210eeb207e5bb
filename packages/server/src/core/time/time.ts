import type { Logger } from 'pino'
import { type Clock, systemClock } from '#server/core/clock.ts'
import { openFollowingClock } from './following.ts'
import { startLoop } from '#server/core/loop.ts'
import type { Channel } from '@sdd/storage/database.ts'
import { timeStore } from './store.ts'

/** How often the database is asked for its time, and how many times at the start. */
const ASK_MS = 2_000
const FIRST = 5
/**
 * The operator is warned if this machine's clock is off by more than this, because the times in its log are off too.
 */
const OFF_MS = 5_000

type Time = { clock: Clock; stop(): Promise<void> }

/** The clock of this server: the given one, the machine's or, if there may be several servers, the database's. */
export async function openTime(needs: {
  given: Clock | undefined
  channel: Channel | undefined
  zone: string
  log: Logger
  ticks: (() => number) | undefined
}): Promise<Time> {
  const { given, channel, zone, log, ticks } = needs
  const clock = given ?? systemClock(zone)
  if (given === undefined && channel) return followDatabase({ channel, days: clock, log, ticks })
  return { clock, stop: async () => {} }
}

/**
 * The database's clock, which all its servers follow. Of several machines one is always slightly ahead, so it could not
 * tell which of two servers' writes came later. While the database is away, the clock keeps running.
 */
async function followDatabase(needs: {
  channel: Pick<Channel, 'ask'>
  /** Only its days are used, not its time. */
  days: Pick<Clock, 'day' | 'midnightAfter'>
  log: Logger
  /** A monotonic count of milliseconds. */
  ticks: (() => number) | undefined
}): Promise<Time> {
  const { channel, days, log, ticks = () => performance.now() } = needs
  const { askTime } = timeStore(channel)
  const { now, heard } = openFollowingClock(ticks)
  let off = false

  async function look(): Promise<void> {
    const asked_ms = ticks()
    heard(asked_ms, await askTime())
  }

  function sayIfOff(): void {
    const ahead_ms = Date.now() - now()
    if (off === Math.abs(ahead_ms) > OFF_MS) return
    off = !off
    const by = `${Math.round(Math.abs(ahead_ms) / 1_000)} s ${ahead_ms < 0 ? 'behind' : 'ahead of'}`
    if (off)
      log.warn(
        `This machine's clock is ${by} the database's, which the server uses. Correct this machine's clock`,
      )
    else log.info("This machine's clock agrees with the database's again")
  }

  for (let n = 0; n < FIRST; n++) await look()
  const loop = startLoop({
    name: 'time',
    every_ms: ASK_MS,
    log,
    async work() {
      await look().catch((error: unknown) =>
        log.debug({ err: error }, 'The time could not be read from the database'),
      )
      sayIfOff()
    },
  })
  return { clock: { ...days, now }, stop: () => loop.stop() }
}
