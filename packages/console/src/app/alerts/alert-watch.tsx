import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useDeferredValue, useState } from 'react'
import { titleOf } from './facts.ts'
import { groupAlerts } from './groups.ts'
import { useJoining } from './open-groups.ts'
import { openAlerts as words } from './text.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { firstNewestKey, openAlertsQuery } from '#console/outward/alerts/calls.ts'

const AlertPanel = lazyPart(() => import('./alert-panel.tsx'))

/** Reads out new alerts once, and shows the list while the address asks for it. */
export default function AlertWatch() {
  const navigate = useNavigate()
  const { alerts } = useSearch({ strict: false })
  const { data } = useQuery(openAlertsQuery)
  // Later than the element, since screen readers read out only its changes.
  const news = useDeferredValue(useNews(data), null)
  return (
    <>
      <output className="sr-only">{news && <span key={news.key}>{news.text}</span>}</output>
      <Suspense>
        {alerts === 'open' && (
          <AlertPanel
            onClose={() =>
              void navigate({ to: '.', search: (now) => ({ ...now, alerts: undefined }), replace: true })
            }
          />
        )}
      </Suspense>
    </>
  )
}

/** The alerts that opened since the list was first loaded, which the bell may have done long before. */
function useNews(open: readonly Alert[] | undefined): { key: number; text: string } | null {
  const first = useQueryClient().getQueryData<number>(firstNewestKey) ?? 0
  const join_secs = useJoining(open)
  const [known, setKnown] = useState<{ open: typeof open; newest: number }>()
  const [news, setNews] = useState<{ key: number; text: string } | null>(null)
  if (open && open !== known?.open) {
    const last = known?.newest ?? first
    const newest = Math.max(last, ...open.map(({ id }) => id))
    const fresh = groupAlerts(
      open.filter(({ id }) => id > last),
      join_secs,
    )
    setKnown({ open, newest })
    if (fresh.length > 0)
      setNews({
        key: newest,
        text:
          fresh.length === 1 ? words.arrived(titleOf(fresh[0]!.alerts)) : words.arrivedSeveral(fresh.length),
      })
  }
  return news
}
