import type { CampaignState } from '@sdd/contract/people/campaigns.ts'
import { isIn, limit, locked, sql, when } from '@sdd/storage/sql.ts'
import { total } from '@sdd/storage/totals.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { likePart } from '#server/database/like.ts'
import type { Campaigns } from '#server/database/people-tables.ts'
import { type Change, TOTALS_ORDER, type Tx } from '#server/database/schema.ts'

export type CampaignRecord = Omit<Campaigns, 'id'> & { id: number }

/** The columns that are the same in each new draft. */
export const NEW_DRAFT = {
  state: 'draft',
  started_at: null,
  paused_at: null,
  paused_by: null,
  finished_at: null,
  rows: 0,
  version: 1,
  starting: null,
  starting_until: null,
} as const

/** Started, and neither stopped nor finished. */
export function isOngoing(state: CampaignRecord['state']): boolean {
  return state === 'scheduled' || state === 'running' || state === 'paused'
}

/** The state of a campaign that is started or resumed now. */
export function stateAtStart({ not_before }: CampaignRecord, now: string): 'scheduled' | 'running' {
  return not_before !== null && not_before > now ? 'scheduled' : 'running'
}

export function campaignStore(tx: Tx, scope: Scope) {
  return {
    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    /** Locked until the commit. */
    hold: (id: number) => tx.first(HOLD, { id, ...within(scope) }),

    /** One that was stopped or removed, locked until the commit. */
    holdEnding: (id: number) => tx.first(HOLD_ENDING, { id }),

    /** Newest first, below this id. `search` is a part of the name as `foldedName` writes it. */
    page: (asked: Asked, below: number | undefined, most: number) =>
      tx.rows(PAGE, {
        states: asked.states,
        search: partOf(asked.search),
        below,
        limit: most,
        ...within(scope),
      }),

    /** How many there are in each state. */
    totals: async (search: string | undefined): Promise<Map<string, number>> => {
      const rows = await tx.rows(TOTALS, { search: partOf(search), ...within(scope) })
      return new Map(rows.map(({ state, count }) => [state, count]))
    },

    /** The latest time that a pending row asks for. */
    lastAt: async (id: number): Promise<string | undefined> =>
      (await tx.first(LAST_AT, { id }))?.due_at || undefined,

    /** Campaigns with something to do: see feeding.ts. */
    active: () => tx.rows(ACTIVE),

    insert: (campaign: Omit<Campaigns, 'id'>) => tx.insertRow('campaigns', campaign),

    update: (id: number, change: Change<Campaigns>) => tx.update('campaigns', { id }, change),

    remove: (id: number) => tx.delete('campaigns', { id }),
  }
}

/** Campaigns of a company that ended before this time. */
export async function endedBefore(tx: Tx, company_id: number, before: string): Promise<number[]> {
  const rows = await tx.rows(ENDED_BEFORE, { company_id, before })
  return rows.map(({ id }) => id)
}

type Asked = { states?: readonly CampaignState[] | undefined; search?: string | undefined }

/** The figures of campaigns: see `CampaignCounts`. */
export function countStore(tx: Tx) {
  return {
    /** These figures of these campaigns. A campaign has one more for each minute in which it sent. */
    of: async (
      ids: readonly number[],
      names: readonly string[],
    ): Promise<Map<number, Map<string, number>>> => {
      const figures = new Map<number, Map<string, number>>()
      for (const { campaign_id, figure, count } of await tx.rows(COUNTS, { ids, names }))
        figures.getOrInsertComputed(campaign_id, () => new Map()).set(figure, count)
      return figures
    },

    /** One of its figures, if it has it. */
    one: async (id: number, name: string): Promise<number | undefined> =>
      (await tx.first(COUNTS, { ids: [id], names: [name] }))?.count,

    /** Adds to a figure; a negative number reduces it. */
    add: (id: number, figure: string, count: number) => tx.add(FIGURE, [id, figure], count),

    clear: (id: number) => tx.run(CLEAR, { id }),
  }
}

function partOf(search: string | undefined): string | undefined {
  return search === undefined ? undefined : likePart(search)
}

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const BY_ID = sql<CampaignRecord, { id: number } & InScope>`
  select * from campaigns where id = :id and state <> 'removed' ${IN_SCOPE}`

const HOLD = sql<CampaignRecord, { id: number } & InScope>`
  select * from campaigns where id = :id and state <> 'removed' ${IN_SCOPE} ${locked('campaigns')}`

const HOLD_ENDING = sql<CampaignRecord, { id: number }>`
  select * from campaigns where id = :id and state in ('stopped', 'removed') ${locked('campaigns')}`

type Page = InScope & {
  states: readonly string[] | undefined
  search: string | undefined
  below: number | undefined
  limit: number
}

const PAGE = sql<CampaignRecord, Page>`
  select * from campaigns where state <> 'removed' ${IN_SCOPE} ${when('below')`and id < :below`}
    ${when('states')`and ${isIn('state', 'states')}`} ${when('search')`and name_key like :search escape '\\'`}
  order by id desc ${limit()}`

const TOTALS = sql<{ state: string; count: number }, InScope & { search: string | undefined }>`
  select state, count(*) as count from campaigns where state <> 'removed' ${IN_SCOPE}
    ${when('search')`and name_key like :search escape '\\'`}
  group by state`

const LAST_AT = sql<{ due_at: string }, { id: number }>`
  select due_at from campaign_rows where campaign_id = :id and state = 'pending' order by due_at desc limit 1`

/** A stopped one is read while some of its rows may still wait. */
const ACTIVE = sql<CampaignRecord>`
  select * from campaigns where state in ('scheduled', 'running', 'paused', 'removed')
  union all
  select * from campaigns where state = 'stopped' and exists (select 1 from campaign_counts
    where campaign_id = campaigns.id and figure in ('pending', 'queued') and count > 0)
  order by id`

const ENDED_BEFORE = sql<{ id: number }, { company_id: number; before: string }>`
  select id from campaigns
  where company_id = :company_id and state in ('stopped', 'finished') and finished_at < :before`

const COUNTS = sql<
  { campaign_id: number; figure: string; count: number },
  { ids: readonly number[]; names: readonly string[] }
>`
  select campaign_id, figure, count from campaign_counts
  where ${isIn('campaign_id', 'ids')} and ${isIn('figure', 'names')}`

const CLEAR = sql<never, { id: number }>`delete from campaign_counts where campaign_id = :id`

const FIGURE = total({
  order: TOTALS_ORDER.campaigns,
  columns: { campaign_id: 'bigint', figure: 'text', count: 'bigint' },
  add: (rows) => `insert into campaign_counts (campaign_id, figure, count) ${rows}
    on conflict (campaign_id, figure) do update set count = campaign_counts.count + excluded.count`,
})
