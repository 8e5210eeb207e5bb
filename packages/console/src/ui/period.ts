/** Days of the browser. In a saved address they always mean the current ones. */
export const periods = ['today', 'yesterday', 'week'] as const
export type Period = (typeof periods)[number]

type Span = { from?: string | undefined; to?: string | undefined }

/** The span in UTC, from a period or from two `datetime-local` values. `now` is in ms. */
export function spanOf({ period, from, to }: Span & { period?: Period | undefined }, now = Date.now()): Span {
  switch (period) {
    case undefined:
      return { from: instantOf(from), to: instantOf(to) }
    case 'today':
      return { from: dayStart(now, 0), to: undefined }
    case 'yesterday':
      return { from: dayStart(now, 1), to: new Date(Date.parse(dayStart(now, 0)) - 1).toISOString() }
    case 'week':
      return { from: dayStart(now, 6), to: undefined }
  }
}

/** The beginning of the day this many days ago. */
function dayStart(now: number, daysAgo: number): string {
  const at = new Date(now)
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() - daysAgo).toISOString()
}

function instantOf(local: string | undefined): string | undefined {
  const at = local ? new Date(local) : undefined
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined
}
