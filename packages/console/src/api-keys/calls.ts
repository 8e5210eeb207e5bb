import {
  createApiKey,
  endPreviousKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  type KeyPermission,
  type MadeApiKey,
  type NewApiKey,
  type RotatedApiKey,
} from '@sdd/contract/api-keys.ts'
import { createTasks, listTasks } from '@sdd/contract/tasks.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/core/api.ts'

export const apiKeysQuery = queryOptions({
  queryKey: ['api_keys'],
  queryFn: async ({ signal }) => (await call(listApiKeys, { signal })).api_keys,
})

/** Makes a key, for another company than one's own where it is named. */
export function makeKey(key: NewApiKey, company: number | undefined): Promise<MadeApiKey> {
  const query = { company: company === undefined ? undefined : String(company) }
  return call(createApiKey, { body: key, query })
}

export function rotateKey(id: number, overlap_hours: number): Promise<RotatedApiKey> {
  return call(rotateApiKey, { params: { id: String(id) }, body: { overlap_hours } })
}

/** The key from before a rotation is dead, and the new one goes on. */
export async function endPrevious(id: number): Promise<void> {
  await call(endPreviousKey, { params: { id: String(id) } })
}

export async function revokeKey(id: number): Promise<void> {
  await call(revokeApiKey, { params: { id: String(id) } })
}

/** A line that uses the key: it hands in a task, or reads the list where that is all it may. */
export function exampleLine(
  { key, may }: { key: string; may: readonly KeyPermission[] },
  origin: string,
  words: string,
): string {
  const { path } = listTasks
  if (!may.includes('tasks:write')) return `curl -s ${origin}${path} -H 'Authorization: Bearer ${key}'`
  const body = JSON.stringify({ to_number: '+34600111222', text: words })
  return [
    `curl -s -X ${createTasks.method} ${origin}${path}`,
    `  -H 'Authorization: Bearer ${key}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '${body}'`,
  ].join(' \\\n')
}
