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
  /** The cost of password hashing. */
  passwordCost: PasswordCost
  clock?: Clock
  /** A monotonic count of milliseconds, to follow the database's clock. */
  ticks?: () => number
  /** The free space on the disk of a folder. If absent, the system is asked. */
  freeBytes?: (folder: string) => Promise<number>
}

/** Registers a part to be stopped with the server, after all parts that are registered later. */
export type Keep = <Part extends { stop(): unknown }>(part: Part) => Part

export type Base = Awaited<ReturnType<typeof openBase>>

/** The base of everything else: the database, the clock, metrics, and the other servers of the same database. */
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

/** PostgreSQL's operator watches its free space. */
async function openRoom(
  { DATABASE_URL, DATA_DIR: folder, LEAST_FREE_MB: least_free_mb }: Config,
  log: Logger,
  look: Needs['freeBytes'],
) {
  return DATABASE_URL === undefined
    ? watchRoom({ folder, least_free_mb, log, ...(look && { look }) })
    : unseenRoom
}
