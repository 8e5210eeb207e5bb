import {
  readRoutes,
  saveRoutes,
  testRoutes,
  type NewRouteRule,
  type RouteList,
  type RouteOutcome,
  type RouteRule,
} from '@sdd/contract/fleet/routes.ts'
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import type { Trial } from './trial.ts'

export const routesQuery = queryOptions({
  queryKey: ['routes', 'list'],
  queryFn: ({ signal }): Promise<RouteList> => callApi(readRoutes, { query: {}, signal }),
})

/** The names of campaigns that routes may name, by id. */
export const campaignNamesQuery = queryOptions({
  queryKey: ['campaigns', 'names'],
  async queryFn({ signal }) {
    // The declarations of campaigns are large, and the screen is complete without their names.
    const { listCampaigns } = await import('@sdd/contract/people/campaigns.ts')
    return callApi(listCampaigns, { query: { limit: '1000' }, signal }, (body) =>
      rowsOf<{ id: number; name: string }>(body, 'campaigns').map(({ id, name }) => ({ id, name })),
    )
  },
})

/** Asks again on its own: the answer changes with the devices. */
export function trialQuery(trial: Trial | undefined) {
  return queryOptions({
    queryKey: ['routes', 'try', trial],
    queryFn: ({ signal }): Promise<RouteOutcome> => callApi(testRoutes, { query: {}, body: trial!, signal }),
    enabled: trial !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
    retry: false,
  })
}

/** A whole list, and the version that it changes, as known once earlier saves have ended. */
export type RoutesSave = { routes: readonly (RouteRule | NewRouteRule)[]; version: () => number }

const SAVING = ['routes', 'save']

/** The list in the order of the last save that has not ended. A load meanwhile may still have the order before. */
export function useRoutes() {
  const loaded = useQuery(routesQuery)
  const saving = useMutationState({
    filters: { mutationKey: SAVING, status: 'pending' },
    select: ({ state }) => (state.variables as RoutesSave).routes,
  }).at(-1)
  const { data: list } = loaded
  return { ...loaded, data: list && saving?.every(isStored) ? { ...list, routes: [...saving] } : list }
}

function isStored(rule: RouteRule | NewRouteRule): rule is RouteRule {
  return rule.id !== undefined
}

/** Saves follow each other. One is refused if somebody else has changed its version; then the list is loaded again. */
export function useRoutesSaving() {
  const client = useQueryClient()
  const { queryKey } = routesQuery
  return useMutation({
    mutationKey: SAVING,
    scope: { id: 'routes' },
    mutationFn: ({ routes, version }: RoutesSave) =>
      callApi(saveRoutes, { query: {}, body: { routes: [...routes], version: version() } }),
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
    onError: () => client.invalidateQueries({ queryKey }),
  })
}
