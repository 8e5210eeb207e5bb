import type { InboxSms } from '@sdd/contract/fleet/device-protocol.ts'
import { PhoneNumber } from '@sdd/contract/core/fields.ts'
import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { numberKey } from '#server/core/number-key.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { lockedSettings, settingsOf } from '#server/accounts/settings/settings.ts'
import { asOptOut } from './opt-outs.ts'
import { isStopWord } from './stop-words.ts'
import { optOutStore } from './store.ts'

/** What a function needs to block a number. */
export type BlockNeeds = {
  readonly clock: Clock
  /** Ends the messages waiting for the number, in this transaction. Returns how many. */
  endBlocked(tx: Tx, company_id: number, number_key: string): Promise<number>
}

type Needs = BlockNeeds & {
  db: Database
  live: Live
  wake(): void
  featureMetrics: Pick<FeatureMetrics, 'messages'>
}

/** How many messages a new block ended. Announce it after the commit. */
export type Blocked = { failed: number }

/**
 * Blocks the sender of an SMS that is a stop word, in the transaction that stores the SMS. Ends the messages waiting
 * for that number. `undefined` if the text is no stop word, the sender is a name, or its number is blocked already.
 */
export async function blockSender(
  tx: Tx,
  blocking: BlockNeeds,
  from: ConnectedDevice,
  sms: Pick<InboxSms, 'from' | 'text'>,
): Promise<Blocked | undefined> {
  const number = PhoneNumber.safeParse(sms.from).data
  if (number === undefined) return undefined
  const { company_id, uid: device_uid } = from
  const { stop_words } = await settingsOf(tx, { company_id }, company_id)
  if (!isStopWord(sms.text, JSON.parse(stop_words) as string[])) return undefined
  return block(tx, blocking, { company_id, number, text: sms.text, device_uid, created_by: null })
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

/** Blocks a number by hand. An existing block stays as it is. */
export async function addOptOut(
  needs: Needs,
  caller: Caller,
  number: string,
  company_id: number = caller.company_id,
): Promise<OptOut> {
  const { optOut, blocked } = await needs.db.write(async (tx) => {
    await settingsOf(tx, caller.scope, company_id)
    const created_by = caller.user_id
    const blocked = await block(tx, needs, {
      company_id,
      number,
      text: null,
      device_uid: null,
      created_by,
    })
    if (blocked)
      await recordChange(tx, needs.clock, caller, { company_id, action: 'opt_out.added', name: number })
    return { blocked, optOut: (await optOutStore(tx, caller.scope).byKey(company_id, numberKey(number)))! }
  })
  if (blocked) {
    announceBlock(needs, company_id, blocked)
    needs.live.changed(company_id, 'audit')
  }
  return asOptOut(optOut)
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

async function block(
  tx: Tx,
  { clock, endBlocked }: BlockNeeds,
  { company_id, number, ...why }: NewBlock,
): Promise<Blocked | undefined> {
  const row = { company_id, number, number_key: numberKey(number), ...why, created_at: instant(clock.now()) }
  // Meanwhile no task may be submitted or given out in the company, since an earlier read would let a message through.
  await lockedSettings(tx, 'all', company_id)
  const optOuts = optOutStore(tx, { company_id })
  if (!(await optOuts.insert(row))) return undefined
  return { failed: await endBlocked(tx, company_id, row.number_key) }
}
