import { CallFault } from '@sdd/contract/core/client.ts'
import { readDashboard } from '@sdd/contract/insight/dashboard.ts'
import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { callApi } from '#console/core/api.ts'
import { useOnChange } from '#console/core/live/live-context.ts'
import { throttled } from '#console/core/live/refresh.ts'

/** The shortest pause between two loads, in ms, however much changes. */
const LEAST_GAP_MS = 2_000
const MINUTE_MS = 60_000

const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => callApi(readDashboard, { signal }),
  refetchInterval: ({ state }) => (hasNoDashboard(state.error) ? false : MINUTE_MS),
  // Any noun can change these figures, so `useDashboard` listens for changes itself.
  meta: { refresh: 'own' },
})

/** The figures, reloaded each minute and after any change. */
export function useDashboard() {
  const client = useQueryClient()
  const poke = useRef<() => void>(undefined)
  useOnChange(undefined, () => {
    poke.current ??= throttled(() => load(client), LEAST_GAP_MS)
    poke.current()
  })
  return useQuery(dashboardQuery)
}

async function load(client: QueryClient): Promise<void> {
  if (hasNoDashboard(client.getQueryState(dashboardQuery.queryKey)?.error)) return
  await client.invalidateQueries(dashboardQuery)
}

/** Whether the server has no dashboard: the route does not exist, or answers something else. */
export function hasNoDashboard(fault: Error | null | undefined): boolean {
  if (!fault) return false
  return !(fault instanceof CallFault) || [404, 405, 501].includes(fault.status)
}
