import { rowGroups, type RowGroup } from '@sdd/contract/people/campaign-checks.ts'

type Counts = Readonly<Record<RowGroup, number>>

/** The groups of rows that are not sent which have grown, and by how many. */
export function newlyOut(before: Counts, after: Counts): [group: RowGroup, count: number][] {
  return rowGroups
    .filter((group) => group !== 'sendable' && after[group] > before[group])
    .map((group) => [group, after[group] - before[group]])
}

/** A duration in days, hours and minutes; at least a minute. */
export function lastingOf(ms: number): [days: number, hours: number, minutes: number] {
  const minutes = Math.max(1, Math.ceil(ms / 60_000))
  return [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60]
}
