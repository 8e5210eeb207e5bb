import type { Logger } from 'pino'
import { type Config } from '#server/core/config.ts'
import type { Clock } from '#server/core/clock.ts'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { openPeers } from '#server/core/replicas/replicas.ts'
import { unknownDiskSpace, watchDiskSpace } from '#server/core/disk-space.ts'
import { openTime } from '#server/core/time/time.ts'
import type { PasswordCost } from '#server/accounts/passwords/passwords.ts'
import { openNumbers } from '#server/accounts/settings/numbers.ts'
import { openCompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import { openDatabase } from '#server/database/open.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { AT_START, correctTimes } from './clock/set-back.ts'

export type Needs = {
  config: Config
  log: Logger
  /** The cost of password hashing. */
  passwordCost: PasswordCost
  clock?: Clock
  /** A monotonic count of milliseconds, to follow the database's clock. */
  ticks?: () => number
  /** The least time between two rounds of the dispatcher that look at everything due. By default its own value. */
  rest_ms?: number
  /** The free space on the disk of a folder. If absent, the system is asked. */
  freeBytes?: (folder: string) => Promise<number>
}

/** Registers a part to be stopped with the server, after all parts that are registered later. */
export type Keep = <Part extends { stop(): unknown }>(part: Part) => Part

export type Base = Awaited<ReturnType<typeof openBase>>

/** The base of everything else: the database, the clock, metrics, and the other servers of the same database. */
export async function openBase({ config, log, freeBytes, ticks, clock: given }: Needs, keep: Keep) {
  const metrics = openMetrics()
  const featureMetrics = openFeatureMetrics(metrics)
  const db = await openDatabase({
    url: config.DATABASE_URL,
    folder: config.DATA_DIR,
    log,
    committed(seconds, callers) {
      featureMetrics.commit.observe(seconds)
      featureMetrics.callers.inc(callers)
    },
  })
  keep({ stop: () => db.close() })
  const { clock } = keep(await openTime({ given, channel: db.channel, zone: config.TZ, log, ticks }))
  const diskSpace = keep(await openDiskSpace(config, log, freeBytes))
  await correctTimes({ db, clock }, AT_START)
  const peers = openPeers(db.channel)
  const numbers = await openNumbers({ db, peers, log })
  return {
    config,
    log,
    metrics,
    featureMetrics,
    db,
    clock,
    diskSpace,
    peers,
    numbers,
    companyRoutes: await openCompanyRoutes({ db, numbers }),
    keptMessages: openKeptMessages(),
  }
}

/** PostgreSQL's operator watches its free space. */
async function openDiskSpace(
  { DATABASE_URL, DATA_DIR: folder, LEAST_FREE_MB: least_free_mb }: Config,
  log: Logger,
  look: Needs['freeBytes'],
) {
  return DATABASE_URL === undefined
    ? watchDiskSpace({ folder, least_free_mb, log, ...(look && { look }) })
    : unknownDiskSpace
}
