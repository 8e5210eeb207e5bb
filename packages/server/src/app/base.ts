import type { Logger } from 'pino'
import { type Config } from '#server/core/config.ts'
import type { Clock } from '#server/core/clock.ts'
import { openFigures } from '#server/core/figures.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { openOthers } from '#server/core/replicas/replicas.ts'
import { unseenRoom, watchRoom } from '#server/core/room.ts'
import { openTime } from '#server/core/time/time.ts'
import type { PasswordCost } from '#server/accounts/passwords/passwords.ts'
import { openSending } from '#server/accounts/settings/settings.ts'
import { openDatabase } from '#server/database/open.ts'
import { AT_START, bringBack } from './clock/set-back.ts'

export type Needs = {
  config: Config
  log: Logger
  /** At what cost passwords are hashed. */
  passwordCost: PasswordCost
  clock?: Clock
  /** By what the database's clock is followed, if it is. */
  ticks?: () => number
  /** How much room the disk of a folder has; without it the system says so. */
  freeBytes?: (folder: string) => Promise<number>
}

/** Has a part stopped when the server stops, after everything that was kept later. */
export type Keep = <Part extends { stop(): unknown }>(part: Part) => Part

export type Base = Awaited<ReturnType<typeof openBase>>

/** What everything else stands on: the database, the clock, metrics, and the other servers over the same database. */
export async function openBase({ config, log, freeBytes, ticks, clock: given }: Needs, keep: Keep) {
  const metrics = openMetrics()
  const figures = openFigures(metrics)
  const db = await openDatabase({
    url: config.DATABASE_URL,
    folder: config.DATA_DIR,
    log,
    committed(seconds, callers) {
      figures.commit.observe(seconds)
      figures.callers.inc(callers)
    },
  })
  keep({ stop: () => db.close() })
  const { clock } = keep(await openTime({ given, channel: db.channel, zone: config.TZ, log, ticks }))
  const room = keep(await openRoom(config, log, freeBytes))
  await bringBack({ db, clock }, AT_START)
  const others = openOthers(db.channel)
  return {
    config,
    log,
    metrics,
    figures,
    db,
    clock,
    room,
    others,
    sending: await openSending({ db, others, log }),
  }
}

/** How much room PostgreSQL has is its operator's to watch. */
async function openRoom(
  { DATABASE_URL, DATA_DIR: folder, LEAST_FREE_MB: least_free_mb }: Config,
  log: Logger,
  look: Needs['freeBytes'],
) {
  return DATABASE_URL === undefined
    ? watchRoom({ folder, least_free_mb, log, ...(look && { look }) })
    : unseenRoom
}
