import type { Country } from '@sdd/contract/core/countries.ts'
import type { RouteRule } from '@sdd/contract/fleet/routes.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { openVersioned, type Versioned } from '#server/core/versioned.ts'
import type { RouteLists } from '#server/database/task-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Database } from '#server/database/open.ts'
import { type RouteRules, ruleOf } from './deciding.ts'
import { routeListStore, routeVersions } from './store.ts'

/** The routes of each company, cached by their version. A company without routes costs no statement. */
export type CompanyRoutes = Versioned<RouteRules>

/** The routes of one company, read now. */
export async function readRules(
  tx: Tx,
  { company_id, default_country }: { company_id: number; default_country: Country },
): Promise<RouteRules | undefined> {
  const row = await routeListStore(tx, company_id).find()
  return row && rulesOf(row, () => default_country)
}

/** Those of these tags that a linked and enabled device of the company has. */
export function usableTags(tx: Tx, company_id: number, tags: readonly string[]): Promise<Set<string>> {
  return routeListStore(tx, company_id).tagsInUse(tags, 1)
}

/** The tag that a campaign of the company names for its messages. With one, they are not routed. */
export function viaOfCampaign(tx: Tx, company_id: number, id: number): Promise<string | null> {
  return routeListStore(tx, company_id).viaOfCampaign(id)
}

function rulesOf({ version, since_message, routes }: RouteLists, home: () => Country): RouteRules {
  return { version, since_message, rules: (JSON.parse(routes) as RouteRule[]).map(ruleOf), home }
}

export async function openCompanyRoutes({
  db,
  numbers,
}: {
  db: Pick<Database, 'read'>
  numbers: Pick<Numbers, 'country'>
}): Promise<CompanyRoutes> {
  return openVersioned(await routeVersions(db.read), async (tx, company_id) => {
    const row = await routeListStore(tx, company_id).find()
    return row && rulesOf(row, () => numbers.country(company_id))
  })
}
