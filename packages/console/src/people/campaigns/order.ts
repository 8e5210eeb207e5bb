import type { Campaign, CampaignState } from '@sdd/contract/people/campaigns.ts'

export const openStates = ['running', 'paused', 'scheduled', 'draft'] as const satisfies CampaignState[]
export const endedStates = ['stopped', 'finished'] as const satisfies CampaignState[]

/** The filters of the list, and their states. */
export const campaignFilters = {
  active: ['running', 'paused'],
  scheduled: ['scheduled'],
  draft: ['draft'],
  ended: endedStates,
} as const satisfies Record<string, readonly CampaignState[]>
export type CampaignFilter = keyof typeof campaignFilters

export function filterIn(state: string | undefined): CampaignFilter | undefined {
  return state !== undefined && Object.hasOwn(campaignFilters, state) ? (state as CampaignFilter) : undefined
}

/** Whether a campaign in this state may be removed. */
export function isRemovable(state: CampaignState): boolean {
  return state === 'draft' || (endedStates as readonly CampaignState[]).includes(state)
}

/** The place of each campaign among the others, as it was when it was first seen, by id. */
export type Ranks = Readonly<Record<number, number>>

const RANKS = { running: 0, paused: 0, scheduled: 1, draft: 2, stopped: 3, finished: 3 } as const

/** The ranks with those of new campaigns. A campaign that ends keeps its own. */
export function ranksOf(rows: readonly Campaign[], known: Ranks): Ranks {
  const fresh = rows.filter(({ id }) => known[id] === undefined)
  if (fresh.length === 0) return known
  return { ...known, ...Object.fromEntries(fresh.map(({ id, state }) => [id, RANKS[state]])) }
}

/** What runs or is paused first, then scheduled ones, drafts and the past, each newest first. */
export function inOrder(rows: readonly Campaign[], ranks: Ranks): Campaign[] {
  // A campaign that has just ended may be in both lists: the later one is right.
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...byId.values()].sort((a, b) => (ranks[a.id] ?? 0) - (ranks[b.id] ?? 0) || b.id - a.id)
}
