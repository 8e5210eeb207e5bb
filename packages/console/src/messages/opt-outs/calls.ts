import { addOptOut, liftOptOut, listOptOuts, type OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { callApi } from '#console/core/api.ts'
import { parsePage, pagesQuery } from '#console/core/pages.ts'

/** The blocked numbers that contain the search text, newest first. */
export function optOutsQuery(search: string | undefined) {
  return pagesQuery<OptOut>(['opt_outs', search], (cursor, signal) =>
    callApi(listOptOuts, { query: { search, cursor }, signal }, (body) => parsePage(body, 'opt_outs')),
  )
}

/** Blocks a number for the given company, or for the user's own if undefined. Returns the number as stored. */
export async function blockNumber(number: string, company: number | undefined): Promise<string> {
  const query = { company: company === undefined ? undefined : String(company) }
  return (await callApi(addOptOut, { body: { number }, query })).number
}

export async function liftBlock(id: number): Promise<void> {
  await callApi(liftOptOut, { params: { id: String(id) } })
}
