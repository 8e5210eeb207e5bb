import {
  createApiKey,
  endPreviousKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  type ApiKey,
  type CreatedApiKey,
  type NewApiKey,
  type RotatedApiKey,
} from '@sdd/contract/accounts/api-keys.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'

export const apiKeysQuery = queryOptions({
  queryKey: ['api_keys'],
  queryFn: async ({ signal }) => (await callApi(listApiKeys, { signal })).api_keys,
})

/** Makes a key for the given company, or for the user's own if `company` is undefined. */
export function makeKey(key: NewApiKey, company: number | undefined): Promise<CreatedApiKey> {
  const query = { company: company === undefined ? undefined : String(company) }
  return callApi(createApiKey, { body: key, query })
}

export function rotateKey(id: number, overlap_hours: number): Promise<RotatedApiKey> {
  return callApi(rotateApiKey, { params: { id: String(id) }, body: { overlap_hours } })
}

/** Ends the overlap of a rotation: the previous key stops working, the new one stays valid. */
export async function endKeyOverlap(id: number): Promise<void> {
  await callApi(endPreviousKey, { params: { id: String(id) } })
}

export async function revokeKey(id: number): Promise<void> {
  await callApi(revokeApiKey, { params: { id: String(id) } })
}

export type KeyDialogsProps = {
  /** `new`, the id of the key to revoke, or `rotate-` and the id of the key to rotate. */
  open: string
  keys: readonly ApiKey[]
  onClose: () => void
}

/** A command line to try a new key with. */
export type ExampleLine = (key: CreatedApiKey) => string
