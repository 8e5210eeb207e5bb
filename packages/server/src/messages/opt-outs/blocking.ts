import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { type Numbers, requireNumber } from '#server/accounts/settings/numbers.ts'
import { lockedSettings, settingsOf } from '#server/accounts/settings/settings.ts'
import { optOutStore } from './store.ts'

/** What a function needs to block a number. */
export type BlockNeeds = {
  readonly clock: Clock
  /** Ends the messages waiting for the number, in this transaction. Returns how many. */
  endBlocked(tx: Tx, company_id: number, number: string): Promise<number>
}

type Needs = BlockNeeds & {
  db: Database
  live: Live
  numbers: Pick<Numbers, 'country' | 'kept'>
  wake(): void
  featureMetrics: Pick<FeatureMetrics, 'messages'>
}

/** How many messages a new block ended. Announce it after the commit. */
export type Blocked = { failed: number }

/** Ends the block that an SMS of this number made. False if there is none, or a person made it or added to it. */
export async function unblockBySms(tx: Tx, company_id: number, number: string): Promise<boolean> {
  // A person may be blocking the number now: that waits for this, or this sees it.
  await lockedSettings(tx, 'all', company_id)
  const optOuts = optOutStore(tx, { company_id })
  const optOut = await optOuts.byNumber(company_id, number)
  if (optOut === undefined || optOut.text === null || optOut.created_by !== null) return false
  await optOuts.remove(optOut.id)
  return true
}

/** Announces a block after the commit: to browsers, and to the dispatcher, which tells devices what to drop. */
export function announceBlock(
  { live, featureMetrics, wake }: Pick<Needs, 'live' | 'featureMetrics' | 'wake'>,
  company_id: number,
  { failed }: Blocked,
): void {
  if (failed > 0) featureMetrics.messages.inc({ state: 'failed' }, failed)
  live.changed(company_id, 'opt_outs', ...(failed > 0 ? (['logs', 'tasks'] as const) : []))
  wake()
}

/** Blocks a number by hand. A block that an SMS made gets the person's name, so that no SMS lifts it any more. */
export async function addOptOut(
  needs: Needs,
  caller: Caller,
  written: string,
  company_id: number = caller.company_id,
): Promise<OptOut> {
  const { optOut, blocked } = await needs.db.write(async (tx) => {
    await settingsOf(tx, caller.scope, company_id)
    const number = requireNumber(needs.numbers, company_id, written, 'number')
    const created_by = caller.user_id
    const blocked = await blockNumber(tx, needs, {
      company_id,
      number,
      text: null,
      device_uid: null,
      created_by,
    })
    if (blocked)
      await recordChange(tx, needs.clock, caller, { company_id, action: 'opt_out.added', name: number })
    return { blocked, optOut: (await optOutStore(tx, caller.scope).byNumber(company_id, number))! }
  })
  if (blocked) {
    announceBlock(needs, company_id, blocked)
    needs.live.changed(company_id, 'audit')
  }
  return optOut
}

/** Lifts a block: the number may get messages again. `unknown_opt_out` outside the scope. */
export async function liftOptOut(
  { db, clock, live }: Pick<Needs, 'db' | 'clock' | 'live'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const company_id = await db.write(async (tx) => {
    const optOuts = optOutStore(tx, caller.scope)
    const optOut = await optOuts.byId(id)
    if (optOut === undefined) throw new Refusal('unknown_opt_out', `There is no block ${id}.`)
    await optOuts.remove(id)
    const { company_id, number, text, created_at } = optOut
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'opt_out.lifted',
      name: number,
      changes: { text: { from: text, to: null }, created_at: { from: created_at, to: null } },
    })
    return company_id
  })
  live.changed(company_id, 'opt_outs', 'audit')
}

type NewBlock = {
  company_id: number
  number: string
  text: string | null
  device_uid: string | null
  created_by: number | null
}

/**
 * Blocks a number, and ends the messages waiting for it. `undefined` if it is blocked already: that block stays as it is,
 * except that a person is noted on a block that only an SMS made.
 */
export async function blockNumber(
  tx: Tx,
  { clock, endBlocked }: BlockNeeds,
  { company_id, number, ...why }: NewBlock,
): Promise<Blocked | undefined> {
  const row = { company_id, number, ...why, created_at: instant(clock.now()) }
  // Meanwhile no task may be submitted or given out in the company, since an earlier read would let a message through.
  await lockedSettings(tx, 'all', company_id)
  const optOuts = optOutStore(tx, { company_id })
  if (await optOuts.insert(row)) return { failed: await endBlocked(tx, company_id, number) }
  const { created_by } = why
  if (created_by === null) return undefined
  return (await optOuts.notePerson({ company_id, number, created_by })) ? { failed: 0 } : undefined
}
