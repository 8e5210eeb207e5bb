import { randomUUID } from 'node:crypto'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import type { CampaignNeeds } from './campaigns.ts'
import { preparationStore, rowStore } from './rows.store.ts'
import { type CampaignRecord, campaignStore } from './store.ts'

/** A draft that only this start prepares. */
export type DraftClaim = {
  /** Writes only while the draft is as it was claimed. Resolves to whether it is. */
  write(work: (tx: Tx) => Promise<void>): Promise<boolean>
  /** Keeps the claim during work that does not write. Call it often. */
  keep(): Promise<void>
  /** Lets others start the draft. */
  release(): Promise<void>
}

/** A claim ends by itself if its server dies. */
const LASTS_MS = 30_000
const KEEP_MS = 10_000

/**
 * Claims a draft, and takes back what a start that broke off has prepared. `undefined` if the draft has changed, or if
 * another start has claimed it.
 */
export async function claimDraft(
  { db, clock }: Pick<CampaignNeeds, 'db' | 'clock'>,
  { scope }: Pick<Caller, 'scope'>,
  { id, version, rows }: CampaignRecord,
): Promise<DraftClaim | undefined> {
  const starting = randomUUID()
  let kept_ms = performance.now()
  const until = () => instant(clock.now() + LASTS_MS)

  const claimed = await db.write(async (tx) => {
    const store = campaignStore(tx, scope)
    const held = await store.hold(id)
    if (held?.state !== 'draft' || held.version !== version) return false
    const left_ms = Date.parse(held.starting_until ?? '') - clock.now()
    // A longer one is of before the clock was set back.
    if (left_ms > 0 && left_ms <= 2 * LASTS_MS) return false
    await store.update(id, { starting, starting_until: until() })
    await preparationStore(tx, id).clear()
    await rowStore(tx, id).removeFrom(rows + 1, Number.MAX_SAFE_INTEGER)
    return true
  })
  if (!claimed) return undefined

  const write: DraftClaim['write'] = (work) => {
    kept_ms = performance.now()
    return db.write(async (tx) => {
      const store = campaignStore(tx, scope)
      const held = await store.hold(id)
      if (held?.state !== 'draft' || held.version !== version || held.starting !== starting) return false
      await store.update(id, { starting_until: until() })
      await work(tx)
      return true
    })
  }

  return {
    write,
    async keep() {
      if (performance.now() - kept_ms > KEEP_MS) await write(async () => {})
    },
    release: () =>
      db.write(async (tx) => {
        const store = campaignStore(tx, scope)
        if ((await store.hold(id))?.starting === starting)
          await store.update(id, { starting: null, starting_until: null })
      }),
  }
}
