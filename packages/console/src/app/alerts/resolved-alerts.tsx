import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { momentOf, titleOf } from './facts.ts'
import { groupAlerts } from './groups.ts'
import { useJoining } from './open-groups.ts'
import { openAlerts as words } from './text.ts'
import { text } from '#console/core/text.ts'
import { resolvedAlertsQuery } from '#console/outward/alerts/calls.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { ago, formatDuration } from '#console/ui/time.ts'

const FIRST = 5
const MORE = 100
/** As many as one answer has at most. */
const MOST = 1_000

/**
 * Past alerts, the newest first, without those that the list above still has. `noneOpen`: says when the last one was, as
 * no other is shown, or that no rule looks for any.
 */
export function ResolvedAlerts({
  above,
  noneOpen,
  unwatched,
}: {
  above: readonly Alert[]
  noneOpen: boolean
  unwatched: boolean
}) {
  const now = useNow()
  const [limit, setLimit] = useState(FIRST)
  const { data, isError, isFetching, refetch } = useQuery({
    ...resolvedAlertsQuery(limit),
    placeholderData: keepPreviousData,
  })
  const past = data?.alerts.filter(({ id }) => !above.some((one) => one.id === id)) ?? []
  const groups = groupAlerts(past, useJoining(past))
  const last = data?.alerts[0]?.resolved_at

  return (
    <>
      {noneOpen && data && (
        <p className="px-4 py-4 text-muted">
          {last
            ? `${words.noneOpen} ${words.lastOne(ago(Date.parse(last), now))}`
            : unwatched
              ? words.unwatched
              : `${words.noneOpen} ${words.none}`}
        </p>
      )}
      {isError && (
        <Notice tone="bad" className="m-3" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.failedResolved}
        </Notice>
      )}
      {groups.length > 0 && (
        <section aria-label={words.resolved} className="border-t border-line bg-sunken px-4 py-2.5">
          <h3 className="text-sm font-semibold text-muted">{words.resolved}</h3>
          <ul className="mt-1.5 flex flex-col gap-1.5">
            {groups.map(({ key, alerts }) => (
              <li key={key} className="flex gap-2.5 text-sm">
                <span className="mt-1 shrink-0 text-ok">
                  <MarkIcon mark="check" />
                </span>
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  {titleOf(alerts)}
                  <span className="block text-muted">
                    {spanOf(alerts[0]!.since, alerts.at(-1)!.resolved_at!, now)}
                  </span>
                </span>
              </li>
            ))}
          </ul>
          {data?.more && limit < MOST && (
            <Button
              tone="ghost"
              size="sm"
              className="-ml-2.5 text-link! underline"
              disabled={isFetching}
              onClick={() => setLimit(Math.min(MOST, limit + MORE))}
            >
              {words.more}
            </Button>
          )}
        </section>
      )}
    </>
  )
}

function spanOf(from: string, to: string, now: number): string {
  const secs = (Date.parse(to) - Date.parse(from)) / 1_000
  return words.span(momentOf(from, now), momentOf(to, now), formatDuration(secs))
}
