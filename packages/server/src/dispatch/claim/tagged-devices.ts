import type { Tx } from '#server/database/schema.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'

/** A claim looks many times a second for the devices of a tag, which may be thousands. */
const KEEP_MS = 1_000

type Kept = { ids: Promise<readonly number[]>; until_ms: number }

/** Which devices have a tag, as it was at most a second ago. The rows that a claim locks decide. */
export function openTaggedDevices() {
  const kept = new Map<string, Kept>()

  return async function taggedDevices(
    tx: Tx,
    company_id: number,
    tags: readonly string[],
  ): Promise<Set<number>> {
    const now_ms = performance.now()
    for (const [key, { until_ms }] of kept) if (until_ms <= now_ms) kept.delete(key)
    const found = new Set<number>()
    for (const tag of tags) {
      const { ids } = kept.getOrInsertComputed(`${company_id} ${tag}`, () => ({
        ids: capacityStore(tx).withTag(company_id, tag),
        until_ms: now_ms + KEEP_MS,
      }))
      for (const id of await ids) found.add(id)
    }
    return found
  }
}
