import { CallFault } from '@sdd/contract/core/client.ts'
import { MutationCache, notifyManager, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'

/** The cache of server data, one for the whole console. */
export function openQueryClient(): QueryClient {
  // Notify in the same task as the press, so that a second press finds the form pending.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    queryCache: new QueryCache({ onError: (fault, query) => log(query.queryKey, fault) }),
    // Forms show their own errors. Mutations with a key run without a form.
    mutationCache: new MutationCache({
      onError(fault, _, __, { options }) {
        if (options.mutationKey) log(options.mutationKey, fault)
      },
    }),
    defaultOptions: {
      queries: {
        // The live connection reports changes. Without it, data is reloaded when a screen shows it again.
        staleTime: 10_000,
        networkMode: 'always',
        retry: (failures, fault) => failures < 1 && !(fault instanceof CallFault && isFinal(fault.status)),
        retryDelay: 400,
      },
      // Sending twice is worse than not sending, so mutations are never retried automatically.
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** After a saved change was shown: a load that is under way may be older, so it begins again. */
export function reloadIfLoading(client: QueryClient, queryKey: QueryKey): void {
  void client.invalidateQueries({ queryKey, exact: true, fetchStatus: 'fetching' })
}

/** An immediate retry would get the same answer. */
function isFinal(status: number): boolean {
  return status >= 200 && status < 500
}

/** For developers, in the browser's console. The screens tell users. */
function log(what: readonly unknown[], fault: Error): void {
  console.error(`${what.join(' ')}: ${fault.message}`)
}
