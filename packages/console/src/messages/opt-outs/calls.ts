import { addOptOut, liftOptOut, listOptOuts, type OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { call } from '#console/core/api.ts'
import { pageIn, pagesQuery } from '#console/core/pages.ts'

/** The blocked numbers that contain the search text, newest first. */
export function optOutsQuery(search: string | undefined) {
  return pagesQuery<OptOut>(['opt_outs', search], (cursor, signal) =>
    call(listOptOuts, { query: { search, cursor }, signal }, (body) => pageIn(body, 'opt_outs')),
  )
}

/** Blocks a number for the given company, or for the user's own if undefined. Returns the number as stored. */
export async function block(number: string, company: number | undefined): Promise<string> {
  const query = { company: company === undefined ? undefined : String(company) }
  return (await call(addOptOut, { body: { number }, query })).number
}

export async function lift(id: number): Promise<void> {
  await call(liftOptOut, { params: { id: String(id) } })
}
