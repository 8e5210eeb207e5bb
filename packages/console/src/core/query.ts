import { CallFault } from '@sdd/contract/core/client.ts'
import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query'

/** What the server is said to have, once for the whole console. */
export function openQueryClient(): QueryClient {
  // Within the press itself, and not a task later: a second press has to find the form pending.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    queryCache: new QueryCache({ onError: (fault, query) => log(query.queryKey, fault) }),
    // Forms say themselves what went wrong; what has a key acts without one.
    mutationCache: new MutationCache({
      onError(fault, _, __, { options }) {
        if (options.mutationKey) log(options.mutationKey, fault)
      },
    }),
    defaultOptions: {
      queries: {
        // The live connection says what changed; without it, what is looked at again is loaded again.
        staleTime: 10_000,
        networkMode: 'always',
        retry: (failures, fault) => failures < 1 && !(fault instanceof CallFault && isFinal(fault.status)),
        retryDelay: 400,
      },
      // Sending twice is worse than not sending: what writes is never repeated by itself.
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** Asking again at once would be answered the same. */
function isFinal(status: number): boolean {
  return status >= 200 && status < 500
}

/** For whoever looks into the browser's console; the screens say it to everybody else. */
function log(what: readonly unknown[], fault: Error): void {
  console.error(`${what.join(' ')}: ${fault.message}`)
}
