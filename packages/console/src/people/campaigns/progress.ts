import type { Campaign, CampaignCounts, CountedState } from '@sdd/contract/people/campaigns.ts'

/** A campaign's state as people see it: one that runs may wait. */
export type Phase = Campaign['state'] | 'waiting'

/** `now` in ms. */
export function phaseOf(campaign: WaitingCampaign, now: number): Phase {
  return isWaiting(campaign, now) ? 'waiting' : campaign.state
}

type WaitingCampaign = Pick<Campaign, 'state' | 'waiting_code' | 'waiting_params'>

/** Rows that are asked for one after the other are no wait. */
const NEXT_ROW_MS = 10 * 60_000

export function isWaiting({ state, waiting_code, waiting_params }: WaitingCampaign, now: number): boolean {
  if (state !== 'running' || !waiting_code) return false
  const at = waiting_code === 'not_before' ? (waiting_params as { at?: string } | null)?.at : undefined
  return at === undefined || Date.parse(at) > now + NEXT_ROW_MS
}

/** The parts of the bar, in the order of a message's way from its end backwards, and the counts in each. */
export const parts = {
  delivered: ['delivered'],
  sent: ['sent'],
  failed: ['failed'],
  uncertain: ['uncertain'],
  expired: ['expired'],
  cancelled: ['cancelled'],
  handed: ['handed'],
  queue: ['queued', 'pending'],
  skipped: ['skipped'],
} as const satisfies Record<string, readonly CountedState[]>
export type Part = keyof typeof parts

export const partNames = Object.keys(parts) as Part[]

/** Those that are not shown if they are empty. */
const rare: readonly Part[] = ['uncertain', 'expired', 'cancelled', 'skipped']

export function partIn(state: string | undefined): Part | undefined {
  return state !== undefined && Object.hasOwn(parts, state) ? (state as Part) : undefined
}

export function countIn(counts: CampaignCounts, part: Part): number {
  return parts[part].reduce((sum, state) => sum + counts[state], 0)
}

/** The parts that a campaign's bar and legend show. */
export function shownParts(counts: CampaignCounts): Part[] {
  return partNames.filter((part) => !rare.includes(part) || countIn(counts, part) > 0)
}

export type Progress = {
  /** Rows that get a message, or were to get one. */
  total: number
  /** Messages with an outcome that is not a person's wish. */
  done: number
  /** What no device has yet. */
  left: number
  /** Shares of `done`; undefined while that is 0. */
  delivered: number | undefined
  failed: number | undefined
}

export function progressOf({ rows, counts }: Pick<Campaign, 'rows' | 'counts'>): Progress {
  const { delivered, sent, failed, uncertain, expired, skipped } = counts
  const done = delivered + sent + failed + uncertain + expired
  const share = (count: number) => (done === 0 ? undefined : count / done)
  return {
    total: rows - skipped,
    done,
    left: countIn(counts, 'queue'),
    delivered: share(delivered),
    failed: share(failed),
  }
}

/** Whether devices have all that is not finished. When it ends is then up to them, not to any rate. */
export function lastHanded({ counts, state }: Pick<Campaign, 'counts' | 'state'>): boolean {
  return state === 'running' && countIn(counts, 'queue') === 0 && counts.handed > 0
}

/** From this share of failures on, somebody should look. */
export const MANY_FAILED = 0.05

/** When it began, or will begin; undefined for a draft. */
export function beginOf({ state, started_at, not_before }: Campaign): string | undefined {
  if (state === 'draft' || started_at === null) return undefined
  return not_before !== null && not_before > started_at ? not_before : started_at
}

/** A move of the end by less than this is not told. */
const MOVE_MS = 10 * 60_000

/** By how many ms the end has moved since the start; undefined if that is little, or not known. */
export function moveOf(finishes_at: string | null, planned_at: string | null): number | undefined {
  if (finishes_at === null || planned_at === null) return undefined
  const moved = Date.parse(finishes_at) - Date.parse(planned_at)
  return Math.abs(moved) > MOVE_MS ? moved : undefined
}
