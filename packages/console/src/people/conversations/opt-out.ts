import { listOptOuts, type OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import type { ConversationRef } from './conversations.ts'

/** The opt-out of the conversation's number; null if there is none. */
export function optOutQuery({ number, company }: ConversationRef) {
  return queryOptions({
    queryKey: ['opt_outs', 'of', number, company],
    queryFn: ({ signal }) =>
      callApi(
        listOptOuts,
        { query: { search: number }, signal },
        (body) =>
          rowsOf<OptOut>(body, 'opt_outs').find(
            (one) => one.number === number && (company === undefined || company === String(one.company_id)),
          ) ?? null,
      ),
  })
}
