import { CallFault } from '@sdd/contract/core/client.ts'
import { type Dashboard, readDashboard } from '@sdd/contract/insight/dashboard.ts'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffectEvent, useRef } from 'react'
import { callApi } from '#console/core/api.ts'
import { useOnChange } from '#console/core/live/live-context.ts'
import { throttled } from '#console/core/live/refresh.ts'

/** The shortest pause between two loads, in ms, however much changes. */
const LEAST_GAP_MS = 2_000
const MINUTE_MS = 60_000

/** More hours or fewer companies than usual, as the address has them. */
type Wanted = { hours?: string | undefined; company?: string | undefined }

const dashboardQuery = (wanted: Wanted) =>
  queryOptions({
    queryKey: ['dashboard', wanted],
    queryFn: ({ signal }) => callApi(readDashboard, { query: wanted, signal }),
    refetchInterval: ({ state }) => (hasNoDashboard(state.error) ? false : MINUTE_MS),
    // Any noun can change these figures, so `useDashboard` listens for changes itself.
    meta: { refresh: 'own' },
    // A longer range keeps the figures while it is loaded. Those of another company would be mistaken for its own.
    placeholderData: (before: Dashboard | undefined, query) =>
      (query?.queryKey[1] as Wanted | undefined)?.company === wanted.company ? before : undefined,
  })

/** The figures, reloaded each minute and after any change. */
export function useDashboard(wanted: Wanted = {}) {
  const client = useQueryClient()
  const poke = useRef<() => void>(undefined)
  const load = useEffectEvent(async () => {
    const query = dashboardQuery(wanted)
    if (hasNoDashboard(client.getQueryState(query.queryKey)?.error)) return
    await client.invalidateQueries(query)
  })
  useOnChange(undefined, (gap) => {
    const { error, data } = client.getQueryState<Dashboard>(dashboardQuery(wanted).queryKey) ?? {}
    // A load that failed before the first connection shows nothing that could have changed: a person repeats it.
    if (gap === 'start' && error && !data) return
    poke.current ??= throttled(() => load(), LEAST_GAP_MS)
    poke.current()
  })
  return useQuery(dashboardQuery(wanted))
}

/** Whether the server has no dashboard: the route does not exist, or answers something else. */
export function hasNoDashboard(fault: Error | null | undefined): boolean {
  if (!fault) return false
  return !(fault instanceof CallFault) || [404, 405, 501].includes(fault.status)
}
