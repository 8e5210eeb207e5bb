import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteRule } from '../../packages/contract/src/fleet/routes.ts'
import { ensureCompany } from '../../packages/server/src/accounts/companies/companies.ts'
import { instant, systemClock } from '../../packages/server/src/core/clock.ts'
import { openFeatureMetrics } from '../../packages/server/src/core/feature-metrics.ts'
import { openMetrics } from '../../packages/server/src/core/metrics.ts'
import { newVersion } from '../../packages/server/src/core/versioned.ts'
import { openDatabase } from '../../packages/server/src/database/open.ts'
import type { Tx } from '../../packages/server/src/database/schema.ts'
import { openCandidates } from '../../packages/server/src/dispatch/candidates.ts'
import { openClaim } from '../../packages/server/src/dispatch/claim/claim.ts'
import { openKeptMessages } from '../../packages/server/src/messages/messages/kept-messages.ts'
import { countLanes, joinLane, type LaneChanges } from '../../packages/server/src/dispatch/lanes/lanes.ts'
import { homePlace } from '../../packages/server/src/dispatch/lanes/routed.ts'
import { openCompanyRoutes } from '../../packages/server/src/fleet/routes/company-routes.ts'
import { routeListStore } from '../../packages/server/src/fleet/routes/store.ts'
import { insertMessages } from '../../packages/server/src/messages/messages/store.ts'
import type { Home } from './server.ts'

const COMPANY = 1
const REPLICA = 'bench'
const ROWS = 500

/** The claims of the server in this process, over the database of `home`, with devices that are always free. */
export async function openClaims({ folder, settings }: Home, fleet: { devices: number; groups: number }) {
  mkdirSync(join(folder, 'data'), { recursive: true })
  const db = await openDatabase({ folder: join(folder, 'data'), url: settings['DATABASE_URL'] })
  const clock = systemClock('UTC')
  await db.write((tx) => fill(tx, fleet, instant(clock.now())))
  // Devices become free in any order.
  const ids = Array.from({ length: fleet.devices }, (_, place) => place + 1).sort(() => Math.random() - 0.5)
  const candidates = openCandidates()
  const companyRoutes = await openCompanyRoutes({ db, numbers: { country: () => 'ES' } })
  let given = 0
  const claim = openClaim({
    db,
    clock,
    candidates,
    companyRoutes,
    keptMessages: openKeptMessages(),
    replica: { id: () => REPLICA },
    live: { changed() {}, deviceStatus() {}, stop() {} },
    featureMetrics: openFeatureMetrics(openMetrics()),
    publish: () => ++given > 0,
  })

  return {
    /** Hands over messages to these numbers by these routes, one claim after the other. Returns the µs of each message. */
    async handOver(routes: readonly RouteRule[], numbers: readonly string[]): Promise<number> {
      await db.write((tx) => store(tx, companyRoutes, routes, numbers))
      for (const id of ids) candidates.add({ id, company_id: COMPANY })
      given = 0
      const before = process.threadCpuUsage()
      while (given < numbers.length) await claim(false)
      const { user, system } = process.threadCpuUsage(before)
      await db.write(clear)
      return (user + system) / numbers.length
    },
    close: () => db.close(),
  }
}

async function fill(tx: Tx, { devices, groups }: { devices: number; groups: number }, now: string) {
  await ensureCompany(tx, COMPANY, now)
  await tx.query('update settings set spoof_time_secs = 0, send_enabled = 1')
  for (let from = 1; from <= devices; from += ROWS) {
    const ids = Array.from({ length: Math.min(ROWS, devices - from + 1) }, (_, place) => from + place)
    await tx.insert(
      'devices',
      ids.map((id) => ({
        id,
        company_id: COMPANY,
        uid: `drone-${id}`,
        secret_hash: `${id}`,
        created_at: now,
        enabled: 1,
        enabled_at: now,
        max_sms_dayly: 1_000_000,
        status: 'connected',
        status_at: now,
        replica: REPLICA,
      })),
    )
    const slots = { last_given_at: now, next_slot_at: now, sent_day: now.slice(0, 10), sent_parts: 0 }
    await tx.insert(
      'capacity',
      ids.map((device_id) => ({ device_id, ...slots })),
    )
    await tx.insert(
      'device_tags',
      ids.map((device_id) => ({ device_id, company_id: COMPANY, tag: groupOf(device_id % groups) })),
    )
  }
}

/** The tag of one of the groups. */
export function groupOf(group: number): string {
  return `group-${group}`
}

async function store(
  tx: Tx,
  companyRoutes: Awaited<ReturnType<typeof openCompanyRoutes>>,
  routes: readonly RouteRule[],
  numbers: readonly string[],
): Promise<void> {
  const now_ms = Date.now()
  const now = instant(now_ms)
  const version = newVersion()
  const list = { version, routes: JSON.stringify(routes), last_id: routes.length, since_message: 0 }
  await routeListStore(tx, COMPANY).put({ ...list, saved_at: now, saved_by: 'bench' })
  const used = routes.length === 0 ? 0 : version
  await tx.update('settings', { company_id: COMPANY }, { routes: used })
  const rules = await companyRoutes.of(tx, COMPANY, used)
  const joined: LaneChanges = new Map()
  const messages = numbers.map((message_to, place) => {
    const guid = `${version}-${place}`
    const asked = {
      message_to,
      guid,
      priority: 1,
      task: 1,
      api_key_id: null,
      from_number: null,
      via: null,
    } as const
    const waits = homePlace(asked, rules, { ready_ms: now_ms, now_ms })
    joinLane(joined, waits.lane)
    const text = { message: 'Su pedido está de camino. Gracias por todo.', parts: 1, silent: 0 } as const
    const times = { queue_timestamp: now, due_at: now, expires_at: instant(now_ms + 3_600_000) }
    return { company_id: COMPANY, ...asked, ...text, ...times, ...waits }
  })
  for (let from = 0; from < messages.length; from += ROWS)
    await insertMessages(tx, messages.slice(from, from + ROWS))
  await countLanes(tx, COMPANY, joined)
}

async function clear(tx: Tx): Promise<void> {
  for (const table of ['in_flight', 'queue', 'lanes', 'messages']) await tx.query(`delete from ${table}`)
  await tx.query(`update capacity set unfinished = 0, sent_parts = 0 where unfinished > 0`)
}
