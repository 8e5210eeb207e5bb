import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { startLoop } from '#server/core/loop.ts'
import type { Channel } from '@sdd/storage/database.ts'
import type { Database } from '#server/database/open.ts'
import { disconnectAll, disconnectDevicesOf, disconnectUnknown } from './presence.ts'
import type { Live, Refresh } from '#server/core/live.ts'
import { openOnlyReplica, type Replica } from '#server/core/replicas/replicas.ts'
import { leaseStore, replicaStore } from '#server/core/replicas/store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'deviceStatus'> & Refresh
  log: Logger
  /** The lease has expired: cut every device, as another server may have it by now. */
  lost(): void
}

/** If a server dies, sleeps or is cut off, its devices are released after this time plus the time to notice. */
const LEASE_MS = 9_000
const RENEW_MS = 1_000

/** Ends all connections of devices that an earlier run of this server left open. */
export async function startReplica(needs: Needs): Promise<Replica> {
  const { db } = needs
  if (db.channel !== undefined) return startOneOfSeveral(needs, db.channel)
  await disconnectAll(needs)
  return openOnlyReplica()
}

async function startOneOfSeveral(needs: Needs, channel: Channel): Promise<Replica> {
  const { log, live, lost } = needs
  const leases = leaseStore(channel)
  let id = ''
  let leads = false
  /** By the monotonic clock. The database counts the same time from a later start, so this ends first. */
  let until_ms = 0
  let held = false

  const holds = () => performance.now() < until_ms

  async function begin(): Promise<void> {
    const asked_ms = performance.now()
    const next = randomUUID()
    await leases.begin(next, LEASE_MS)
    id = next
    until_ms = asked_ms + LEASE_MS
    held = true
  }

  /** Gives the lease up. The devices connected here reconnect, here or at another server. */
  function lose(why: string): void {
    if (!held) return
    ;[held, leads, until_ms] = [false, false, 0]
    log.warn(`This server ${why}: it lets go of its devices and takes a new lease`)
    lost()
  }

  async function work(): Promise<void> {
    if (!held) await begin()
    const asked_ms = performance.now()
    const { renewed, over, oldest } = await leases.renew(id, LEASE_MS)
    if (renewed) until_ms = asked_ms + LEASE_MS
    else lose('did not renew its lease in time')
    leads = renewed && oldest === id
    if (renewed && over && (await endOthers(needs))) live.refresh()
  }

  async function renew(): Promise<void> {
    // Since the last look this server may have slept, or the database may have been unavailable.
    if (held && !holds()) lose('could not renew its lease')
    try {
      await work()
    } catch (error) {
      if (held && !holds()) lose('could not renew its lease')
      log.debug({ err: error }, 'The lease could not be renewed')
    }
  }

  await begin()
  await endOthers(needs)
  await disconnectUnknown(needs)
  const loop = startLoop({ name: 'lease', every_ms: RENEW_MS, log, work: renew })
  return {
    id: () => id,
    holds,
    leads: () => leads && holds(),
    async stop() {
      await loop.stop()
      until_ms = 0
      await leases.end(id).catch(() => {})
    },
  }
}

/** Disconnects the devices of servers whose lease has expired. Returns true if there was such a server. */
async function endOthers({ db, clock, live }: Needs): Promise<boolean> {
  for (let any = false; ; any = true) {
    const { over, left, more } = await db.write(async (tx) => {
      const over = await replicaStore(tx).over()
      if (over.length === 0) return { over, left: [], more: false }
      const { left, more } = await disconnectDevicesOf(tx, over, instant(clock.now()))
      if (!more) await replicaStore(tx).remove(over)
      return { over, left, more }
    })
    for (const { company_id, uid, connection } of left)
      live.deviceStatus(company_id, uid, 'disconnected', connection)
    if (!more) return any || over.length > 0
  }
}
