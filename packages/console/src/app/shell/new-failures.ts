import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'

type Failures = Dashboard['failures']

/**
 * How many messages failed since, by the code of the failure. The counters are those of a day: a count that is lower
 * than before is one of the next day.
 */
export function newFailures(before: Failures, now: Failures): { code: string; count: number }[] {
  return now
    .map(({ code, count }) => {
      const known = before.find((one) => one.code === code)?.count ?? 0
      return { code, count: count < known ? count : count - known }
    })
    .filter(({ count }) => count > 0)
}
