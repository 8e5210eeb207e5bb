import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Command,
  deviceInbox,
  deviceNetworks,
  deviceReports,
  deviceStatus,
} from '@sdd/contract/fleet/device-protocol.ts'
import type { Topic } from '@sdd/contract/core/topic.ts'
import { pino } from 'pino'
import { openAnnouncements } from '#server/app/announcing.ts'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { endPresence, type ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { openTopics } from '#server/fleet/transport/device-topics.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { createLinkCode } from '#server/fleet/linking/link-codes.ts'
import { linkDevice } from '#server/fleet/linking/linking.ts'
import { handleTopics } from '#server/dispatch/topics.ts'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { openRound } from '#server/dispatch/dispatch.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { openPeers } from '#server/core/replicas/replicas.ts'
import { startReplica } from '#server/fleet/presence/replica.ts'
import { openCompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import { openDestinationRules } from '#server/messages/destinations/rules.ts'
import { openNumbers } from '#server/accounts/settings/numbers.ts'
import { openHashing } from '#server/accounts/passwords/hashing.ts'
import { openTaskQuota } from '#server/accounts/quotas/enforcing.ts'
import { databaseOf } from '#test/engine.ts'

export type Published = { uid: string; command: Command }
export type World = Awaited<ReturnType<typeof openWorld>>

export const SUPERADMIN: Caller = {
  user_id: 1,
  name: 'superadmin',
  role: 'superadmin',
  company_id: 1,
  session_id: 1,
  proved_at: null,
  scope: 'all',
  duty: undefined,
  address: '127.0.0.1',
}

/** More consecutive rounds than any queue of a test needs. */
const MOST_ROUNDS = 200

/**
 * The product without its sockets: a database in its own folder, its rules, and its dispatcher round by round.
 * Published messages go to `hear`; reports from devices come in as the bytes of a packet.
 */
export async function openWorld(clock: Clock, hear: (published: Published) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-model-'))
  const log = pino({ level: 'silent' })
  const featureMetrics = openFeatureMetrics(openMetrics())
  let run = await start()

  async function start() {
    const db = await openDatabase({ folder, url: await databaseOf(folder) })
    await db.write(async (tx) => {
      for (const company of [1, 2]) await ensureCompany(tx, company, instant(clock.now()))
      await addSuperadmin(tx, instant(clock.now()))
    })
    const peers = openPeers(undefined)
    const numbers = await openNumbers({ db, peers, log })
    const live = { changed() {}, deviceStatus() {}, stop() {}, refresh() {} }
    const replica = await startReplica({ db, clock, live, log, lost() {} })
    const needs = {
      db,
      ...openAnnouncements(clock),
      diskSpace: { refuseIfShort() {}, shortage: () => undefined },
      log,
      securityLog() {},
      featureMetrics,
      numbers,
      companyRoutes: await openCompanyRoutes({ db, numbers }),
      keptMessages: openKeptMessages(),
      destinations: await openDestinationRules({ db }),
      live,
      broker: {
        disconnectDevice() {},
        lastSeen: () => undefined,
        requireReach() {},
        giveSecret: async () => {},
      },
      taskQuota: openTaskQuota(),
      hashing: openHashing(),
      wake() {},
      wakeFor() {},
      giveTo() {},
      peers,
      replica,
    }
    const topics = openTopics({ log, dropped: featureMetrics.dropped })
    handleTopics(topics.serve, needs)
    const publish = (uid: string, command: Command) => {
      hear({ uid, command })
      return true
    }
    return { needs, topics, round: openRound({ ...needs, publish, publishAnywhere: publish }) }
  }

  async function stop(): Promise<void> {
    await run.needs.replica.stop()
    await run.needs.db.close()
  }

  function say(topic: Topic) {
    return (from: ConnectedDevice, payload: unknown) =>
      run.topics.received(from, topic, Buffer.from(JSON.stringify(payload)))
  }

  return {
    get needs() {
      return run.needs
    },
    get db(): Database {
      return run.needs.db
    },
    superadmin: SUPERADMIN,
    status: say(deviceStatus),
    networks: say(deviceNetworks),
    reports: say(deviceReports),
    inbox: say(deviceInbox),
    cut: (from: ConnectedDevice) => endPresence(run.needs, from),
    round: () => run.round(),
    /** Rounds until no more messages can go at this moment. */
    async settle(): Promise<void> {
      for (let rounds = 0; await run.round(); rounds++)
        if (rounds === MOST_ROUNDS) throw new Error(`${MOST_ROUNDS} rounds did not settle what was due`)
    },
    /** Links the device to the company and returns its row's id. */
    async link(company_id: number, uid: string): Promise<number> {
      const caller = { ...SUPERADMIN, company_id, proved_at: instant(run.needs.clock.now()) }
      const { code } = await createLinkCode(run.needs, caller, { uses: 1, expires_in_secs: 600 })
      await linkDevice(run.needs, { code, uid }, '127.0.0.1')
      const text = 'select id from devices where uid = :uid and unlinked_at is null'
      const [device] = await run.needs.db.read.query<{ id: number }>(text, { uid })
      return device!.id
    },
    /** Restarts over the same folder, like a new process. */
    async restart(): Promise<void> {
      await stop()
      run = await start()
    },
    async close(): Promise<void> {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The user that rows name as their author; there is no login. */
function addSuperadmin(tx: Tx, created_at: string) {
  const { user_id: id, name, role, company_id: companyId } = SUPERADMIN
  const known = { name, name_key: name, email: name, email_key: name, password_hash: '' }
  return tx.put('users', { id }, { companyId, role, enabled: 1, created_at, ...known })
}
