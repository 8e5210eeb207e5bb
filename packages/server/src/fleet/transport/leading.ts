import type { Logger } from 'pino'
import type { BrokerClient } from '@sdd/mqtt/external/client.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Channel } from '@sdd/storage/database.ts'
import type { Database } from '#server/database/open.ts'
import { disconnectDevicesOf } from '#server/fleet/presence/presence.ts'
import type { Live } from '#server/core/live.ts'
import { SINGLE_SESSION } from './broker-access.ts'
import { AT_BROKER } from './presence.ts'
import { brokerSessionStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  log: Logger
  broker: Pick<BrokerClient, 'connected' | 'lead' | 'drain'>
  client_id: string
}

/** Devices are taken for disconnected if no server has reached the broker for this long. */
const LASTS_MS = 9_000
const LOOK_MS = 2_000

/**
 * Elects one of the servers at the broker. The leader receives presence messages, and takes the messages of ended
 * servers' sessions.
 */
export function startLeading(needs: Needs): Pick<Loop, 'stop'> {
  return needs.db.channel ? leadOfSeveral(needs, needs.db.channel) : leadAlone(needs)
}

function leadAlone({ db, clock, live, log, broker }: Needs): Pick<Loop, 'stop'> {
  let reached_ms = performance.now()
  broker.lead(true)

  async function work(): Promise<void> {
    if (broker.connected()) reached_ms = performance.now()
    if (performance.now() - reached_ms < LASTS_MS) return
    for (let more = true; more;) {
      const gone = await db.write((tx) => disconnectDevicesOf(tx, [AT_BROKER], instant(clock.now())))
      for (const { company_id, uid, connection } of gone.left)
        live.deviceStatus(company_id, uid, 'disconnected', connection)
      more = gone.more
    }
  }

  return startLoop({ name: 'at-broker', every_ms: LOOK_MS, log, work })
}

function leadOfSeveral({ log, broker, client_id }: Needs, channel: Channel): Pick<Loop, 'stop'> {
  const sessions = brokerSessionStore(channel)
  let until_ms = 0
  /** The session that this installation used when it had the embedded database. */
  const of_before = [SINGLE_SESSION]
  /** Runs alongside the renewals, which must not wait for it. */
  let taking: Promise<void> | undefined

  async function work(): Promise<void> {
    try {
      if (broker.connected()) await renew()
    } catch (error) {
      log.debug({ err: error }, 'The session at the broker could not be renewed')
    }
    // Another server may lead by now. Keeping the lead would disconnect that one again and again.
    if (performance.now() > until_ms) broker.lead(false)
  }

  async function renew(): Promise<void> {
    const asked_ms = performance.now()
    const { oldest, orphans } = await sessions.renew(client_id, AT_BROKER, LASTS_MS)
    const leads = oldest === client_id
    if (leads) until_ms = asked_ms + LASTS_MS
    broker.lead(leads)
    if (!leads) return
    const orphan = taking ? undefined : (of_before.pop() ?? orphans?.[0])
    if (orphan !== undefined) taking = take(orphan).finally(() => (taking = undefined))
  }

  async function take(orphan: string): Promise<void> {
    try {
      await broker.drain(orphan)
      await sessions.remove(orphan)
      log.debug({ client_id: orphan }, 'Took the messages of an ended server from the broker')
    } catch (error) {
      log.debug(
        { client_id: orphan, why: (error as Error).message },
        'Could not take the messages of an ended server; it may be back',
      )
    }
  }

  const loop = startLoop({ name: 'at-broker', every_ms: LOOK_MS, log, work })
  return {
    async stop() {
      await loop.stop()
      await taking
      await sessions.end(client_id).catch(() => {})
    },
  }
}
