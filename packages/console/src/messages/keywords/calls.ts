import {
  deleteKeyword,
  listKeywords,
  saveKeyword,
  type Keyword,
  type KeywordChange,
} from '@sdd/contract/messages/keywords.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'

/** The keywords of all companies that the user sees, by word. A change of them is one of the settings. */
export const keywordsQuery = queryOptions({
  queryKey: ['settings', 'keywords'],
  queryFn: ({ signal }) => callApi(listKeywords, { signal }, (body) => rowsOf<Keyword>(body, 'keywords')),
})

/** `company` matters only for a new one; undefined means the user's own. */
export function putKeyword(body: KeywordChange, company: number | undefined): Promise<Keyword> {
  const query = { company: company === undefined ? undefined : String(company) }
  return callApi(saveKeyword, { query, body })
}

export async function removeKeyword(id: number): Promise<void> {
  await callApi(deleteKeyword, { params: { id: String(id) } })
}
