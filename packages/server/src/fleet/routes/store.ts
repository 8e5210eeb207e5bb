import { isIn, sql, when } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import type { RouteLists } from '#server/database/task-tables.ts'

export function routeListStore(tx: Tx, company_id: number) {
  return {
    /** `undefined` if nothing was ever saved. */
    find: () => tx.first(FIND, { company_id }),

    put: (columns: Omit<RouteLists, 'company_id'>) => tx.put('route_lists', { company_id }, columns),

    /** Those of these tags that a linked device has; with `enabled`, an enabled one. */
    tagsInUse: async (tags: readonly string[], enabled?: 1): Promise<Set<string>> => {
      if (tags.length === 0) return new Set()
      const rows = await tx.rows(TAGS_IN_USE, { company_id, tags, enabled })
      return new Set(rows.map(({ tag }) => tag))
    },

    /** Those of these ids that are API keys of the company which are not revoked. */
    keys: async (ids: readonly number[]) => idsOf(await tx.rows(KEYS, { company_id, ids })),

    /** The same of campaigns that are not deleted. */
    campaigns: async (ids: readonly number[]) => idsOf(await tx.rows(CAMPAIGNS, { company_id, ids })),

    /** The tag that a campaign names for its messages. */
    viaOfCampaign: async (id: number): Promise<string | null> =>
      (await tx.first(VIA_OF_CAMPAIGN, { company_id, id }))?.via ?? null,
  }
}

/** The version of each company that has routes. */
export async function routeVersions(tx: Tx): Promise<Map<number, number>> {
  const rows = await tx.rows(VERSIONS)
  return new Map(rows.map(({ company_id, routes }) => [company_id, routes]))
}

function idsOf(rows: readonly { id: number }[]): Set<number> {
  return new Set(rows.map(({ id }) => id))
}

const FIND = sql<RouteLists, { company_id: number }>`
  select * from route_lists where company_id = :company_id`

const VERSIONS = sql<{ company_id: number; routes: number }>`
  select company_id, routes from settings where routes <> 0`

const TAGS_IN_USE = sql<
  { tag: string },
  { company_id: number; tags: readonly string[]; enabled: 1 | undefined }
>`
  select distinct tag from device_tags join devices on devices.id = device_id
  where device_tags.company_id = :company_id and ${isIn('tag', 'tags')} and unlinked_at is null
    ${when('enabled')`and enabled = :enabled`}`

type Ids = { company_id: number; ids: readonly number[] }

const KEYS = sql<{ id: number }, Ids>`
  select id from api_keys where company_id = :company_id and ${isIn('id', 'ids')} and revoked_at is null`

const CAMPAIGNS = sql<{ id: number }, Ids>`
  select id from campaigns where company_id = :company_id and ${isIn('id', 'ids')} and state <> 'removed'`

const VIA_OF_CAMPAIGN = sql<{ via: string | null }, { company_id: number; id: number }>`
  select via from campaigns where company_id = :company_id and id = :id and state <> 'removed'`
