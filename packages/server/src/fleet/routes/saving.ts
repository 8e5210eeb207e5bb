import {
  fallbackWords,
  type NewRouteRule,
  type RouteList,
  type RouteRule,
  type RoutesChange,
} from '@sdd/contract/fleet/routes.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { lockedSettings, settingsOf, storeRuleVersion } from '#server/accounts/settings/settings.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { explainFaults, fault } from '#server/core/field-faults.ts'
import type { Live } from '#server/core/live.ts'
import { type Faults, Refusal } from '#server/core/refusal.ts'
import { newVersion } from '#server/core/versioned.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { RouteLists } from '#server/database/task-tables.ts'
import type { CompanyRoutes } from './company-routes.ts'
import { routeListStore } from './store.ts'

type Needs = {
  db: Database
  live: Live
  clock: Clock
  companyRoutes: CompanyRoutes
  /** Called in the transaction of a change: waiting messages are looked at again. Those stored later have a higher id. */
  routesChanged(tx: Tx, company_id: number): Promise<number>
  wake(): void
}

/** The routes of a company. `unknown_company` if the caller sees no such company. */
export async function readRoutes(
  { db }: Pick<Needs, 'db'>,
  caller: Caller,
  company_id: number = caller.company_id,
): Promise<RouteList> {
  await settingsOf(db.read, caller.scope, company_id)
  return listOf(db.read, company_id, await routeListStore(db.read, company_id).find())
}

/**
 * Replaces the routes of a company. Messages submitted or handed over at the same time use the old ones, or wait. Once
 * this resolves, the new ones decide about all that no device was given. `unknown_company`, `invalid`,
 * `routes_changed`.
 */
export async function saveRoutes(
  { db, live, clock, companyRoutes, routesChanged, wake }: Needs,
  caller: Caller,
  { routes, version: expected }: RoutesChange,
  company_id: number = caller.company_id,
): Promise<RouteList> {
  const { saved } = await companyRoutes.changing(company_id, () =>
    db.write(async (tx) => {
      const settings = await lockedSettings(tx, caller.scope, company_id)
      const store = routeListStore(tx, company_id)
      const row = await store.find()
      const present = row?.version ?? 0
      if (expected !== undefined && expected !== present) {
        const detail = 'The routes were changed in the meantime: load them again, and repeat your change.'
        throw new Refusal('routes_changed', detail, { params: { version: present } })
      }
      const before = routesOf(row)
      await refuseFaults(tx, company_id, routes, before)
      let last_id = row?.last_id ?? 0
      const after = routes.map((route): RouteRule => ({
        id: route.id ?? ++last_id,
        match: route.match,
        via: route.via,
        fallback: route.fallback,
        fallback_after_secs: route.fallback_after_secs,
        enabled: route.enabled,
        note: route.note?.trim() || null,
      }))
      const version = newVersion()
      const since_message = await routesChanged(tx, company_id)
      const columns = {
        version,
        routes: JSON.stringify(after),
        last_id,
        since_message,
        saved_at: instant(clock.now()),
        saved_by: caller.name,
      }
      await store.put(columns)
      const used = after.length === 0 ? 0 : version
      await storeRuleVersion(tx, caller.scope, settings.id, { routes: used })
      const action = 'routes.saved'
      await recordChange(tx, clock, caller, {
        company_id,
        action,
        name: 'Routes',
        changes: changesOf(before, after),
      })
      return { version: used, saved: await listOf(tx, company_id, { company_id, ...columns }) }
    }),
  )
  live.changed(company_id, 'routes', 'logs', 'audit')
  wake()
  return saved
}

function routesOf(row: RouteLists | undefined): RouteRule[] {
  return row === undefined ? [] : (JSON.parse(row.routes) as RouteRule[])
}

async function listOf(tx: Tx, company_id: number, row: RouteLists | undefined): Promise<RouteList> {
  const routes = routesOf(row)
  return {
    routes,
    version: row?.version ?? 0,
    warnings: await warningsOf(tx, company_id, routes),
    saved_at: row?.saved_at ?? null,
    saved_by: row?.saved_by ?? null,
  }
}

/** The tags that a route names. */
function tagsOf({ via, fallback }: Pick<RouteRule, 'via' | 'fallback'>): string[] {
  const words: readonly string[] = fallbackWords
  return [...new Set([via, fallback])].filter((tag) => tag !== null && !words.includes(tag)) as string[]
}

async function warningsOf(
  tx: Tx,
  company_id: number,
  routes: readonly RouteRule[],
): Promise<RouteList['warnings']> {
  const used = await routeListStore(tx, company_id).tagsInUse([...new Set(routes.flatMap(tagsOf))])
  return routes.flatMap((route) =>
    tagsOf(route)
      .filter((tag) => !used.has(tag))
      .map((tag) => ({ route: route.id, detail: `No device has the tag ${tag}.` })),
  )
}

/** `invalid` if a route names an id, a key or a campaign that the company does not have. */
async function refuseFaults(
  tx: Tx,
  company_id: number,
  routes: readonly NewRouteRule[],
  before: readonly RouteRule[],
): Promise<void> {
  const store = routeListStore(tx, company_id)
  const ids = new Set(before.map(({ id }) => id))
  // A route may keep the name of a removed key or campaign: it matches nothing any more.
  const named = (field: 'api_key_id' | 'campaign') =>
    new Set(before.flatMap(({ match }) => match[field] ?? []))
  const keys = await store.keys(routes.flatMap(({ match }) => match.api_key_id ?? []))
  const campaigns = await store.campaigns(routes.flatMap(({ match }) => match.campaign ?? []))
  const known = {
    api_key_id: keys.union(named('api_key_id')),
    campaign: campaigns.union(named('campaign')),
  }
  const faults: Faults = {}
  for (const [index, { id, match }] of routes.entries()) {
    if (id !== undefined && !ids.delete(id)) {
      const again = routes.findIndex((other) => other.id === id) < index
      const why = again ? 'is the id of an earlier route, too' : 'is the id of no route'
      faults[`routes.${index}.id`] = fault(why, 'bad_format', {})
    }
    for (const field of ['api_key_id', 'campaign'] as const) {
      if (match[field] === undefined || known[field].has(match[field])) continue
      const why = `is no ${field === 'campaign' ? 'campaign' : 'API key'} of the company`
      faults[`routes.${index}.match.${field}`] = fault(why, 'bad_format', {})
    }
  }
  if (Object.keys(faults).length > 0) throw new Refusal('invalid', explainFaults(faults), { fields: faults })
}

/** Only the routes that differ, and the order if that does. */
function changesOf(before: readonly RouteRule[], after: readonly RouteRule[]) {
  const same = new Set(before.map((route) => JSON.stringify(route)))
  const still = new Set(after.map((route) => JSON.stringify(route)))
  const ids = (routes: readonly RouteRule[]) => routes.map(({ id }) => id)
  return {
    routes: {
      from: before.filter((route) => !still.has(JSON.stringify(route))),
      to: after.filter((route) => !same.has(JSON.stringify(route))),
    },
    order: { from: ids(before), to: ids(after) },
  }
}
