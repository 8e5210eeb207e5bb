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
import { reloadIfLoading } from '#console/core/query.ts'
import type { Trial } from './trial.ts'

/** Of the given company, or of the user's own if undefined. */
export function routesQuery(company: string | undefined) {
  return queryOptions({
    queryKey: ['routes', 'list', company],
    queryFn: ({ signal }): Promise<RouteList> => callApi(readRoutes, { query: { company }, signal }),
  })
}

/** An API key or a campaign that routes of its company may name. */
export type Named = { id: number; name: string; company_id: number }

/** The names of campaigns that routes may name, by id. */
export const campaignNamesQuery = queryOptions({
  queryKey: ['campaigns', 'names'],
  async queryFn({ signal }) {
    // The declarations of campaigns are large, and the screen is complete without their names.
    const { listCampaigns } = await import('@sdd/contract/people/campaigns.ts')
    return callApi(listCampaigns, { query: { limit: '1000' }, signal }, (body) =>
      rowsOf<Named>(body, 'campaigns').map(({ id, name, company_id }) => ({ id, name, company_id })),
    )
  },
})

/** Asks again on its own: the answer changes with the devices. */
export function trialQuery(trial: Trial | undefined, company: string | undefined) {
  return queryOptions({
    queryKey: ['routes', 'try', trial, company],
    queryFn: ({ signal }): Promise<RouteOutcome> =>
      callApi(testRoutes, { query: { company }, body: trial!, signal }),
    enabled: trial !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
    retry: false,
  })
}

/** A whole list, and the version that it changes, as known once earlier saves have ended. */
export type RoutesSave = { routes: readonly (RouteRule | NewRouteRule)[]; version: () => number }

const savingKey = (company: string | undefined) => ['routes', 'save', company ?? 'own']

/** The list in the order of the last save that has not ended. A load meanwhile may still have the order before. */
export function useRoutes(company: string | undefined) {
  const loaded = useQuery(routesQuery(company))
  const saving = useMutationState({
    filters: { mutationKey: savingKey(company), status: 'pending' },
    select: ({ state }) => (state.variables as RoutesSave).routes,
  }).at(-1)
  const { data: list } = loaded
  return { ...loaded, data: list && saving?.every(isStored) ? { ...list, routes: [...saving] } : list }
}

function isStored(rule: RouteRule | NewRouteRule): rule is RouteRule {
  return rule.id !== undefined
}

/** Saves follow each other. One is refused if somebody else has changed its version; then the list is loaded again. */
export function useRoutesSaving(company: string | undefined) {
  const client = useQueryClient()
  const { queryKey } = routesQuery(company)
  return useMutation({
    mutationKey: savingKey(company),
    scope: { id: 'routes' },
    mutationFn: ({ routes, version }: RoutesSave) =>
      callApi(saveRoutes, { query: { company }, body: { routes: [...routes], version: version() } }),
    onSuccess(saved) {
      client.setQueryData(queryKey, saved)
      reloadIfLoading(client, queryKey)
    },
    onError: () => client.invalidateQueries({ queryKey }),
  })
}
