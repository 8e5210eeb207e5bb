import type { Candidates } from '#server/dispatch/candidates.ts'
import type { Tx } from '#server/database/schema.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'

/**
 * Groups the candidates by the tags that lanes name. A tag may have thousands of devices, and a claim looks for them many
 * times a second, so each tag is read once between two refills. The rows that a claim locks decide.
 */
export function openTaggedDevices(candidates: Candidates) {
  /** The ids of each group, as JSON. */
  let known = new Map<string, string>()
  let before = new Map<string, string>()

  return {
    async group(tx: Tx, company_id: number, tags: readonly string[]): Promise<void> {
      for (const tag of tags) {
        const key = tagGroup(company_id, tag)
        if (known.has(key)) continue
        const ids = await capacityStore(tx).withTag(company_id, tag)
        if (ids !== before.get(key)) candidates.group(key, company_id, JSON.parse(ids) as number[])
        known.set(key, ids)
      }
    },
    /** Has each tag read again before its next use, and forgets tags that were not used lately. */
    refresh(): void {
      for (const key of before.keys()) if (!known.has(key)) candidates.ungroup(key)
      before = known
      known = new Map()
    },
  }
}

/** The candidates with a tag. */
export function tagGroup(company_id: number, tag: string): string {
  return `${company_id} ${tag}`
}
