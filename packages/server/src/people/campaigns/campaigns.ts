import {
  type Campaign,
  type CampaignDetail,
  type CampaignSelection,
  CampaignState,
  type CampaignTotals,
  type NewCampaign,
} from '@sdd/contract/people/campaigns.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { type Clock, instant, utc } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Campaigns } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { foldedName } from '#server/people/contacts/contacts.ts'
import { prospectOf } from './prospect.ts'
import { removeRows } from './removing.ts'
import { reasonsIn } from './rows.store.ts'
import { type CampaignRecord, campaignStore, NEW_DRAFT } from './store.ts'
import { asCampaign, asCampaigns, forecastOf, readFigures, view, type ViewNeeds } from './viewing.ts'

export type CampaignNeeds = ViewNeeds & { db: Database; live: Live }

/** A page of campaigns, newest first. `next_cursor` is null on the last page. */
export async function listCampaigns(
  needs: ViewNeeds,
  scope: Scope,
  { state, search, limit, cursor }: CampaignSelection,
): Promise<{ campaigns: Campaign[]; next_cursor: string | null; totals: CampaignTotals }> {
  const asked = { states: state, search: search?.trim() ? foldedName(search.trim()) : undefined }
  const store = campaignStore(needs.db.read, scope)
  const rows = await store.page(asked, cursorId(cursor), limit + 1)
  const totals = await store.totals(asked.search)
  const { page, next_cursor } = pageOf(rows, limit)
  const total = (state: CampaignState) => [state, totals.get(state) ?? 0]
  return {
    campaigns: await asCampaigns(needs, page),
    next_cursor,
    totals: Object.fromEntries(CampaignState.options.map(total)) as CampaignTotals,
  }
}

/** One campaign, with the reasons of its failures and its devices. `unknown_campaign`. */
export async function readCampaign(needs: ViewNeeds, scope: Scope, id: number): Promise<CampaignDetail> {
  const { read } = needs.db
  const row = known(await campaignStore(read, scope).byId(id), id)
  const figures = (await readFigures(needs, [id]))(id)
  const forecast = await forecastOf(needs, row, figures)
  return {
    ...(await view(needs, row, figures, forecast)),
    reasons: row.state === 'draft' ? [] : await reasonsIn(read, id),
    ...(await prospectOf(needs, row, figures, forecast)),
  }
}

/** Creates the draft of a campaign. `invalid`, `unknown_company`. */
export async function createCampaign(
  needs: CampaignNeeds,
  caller: Caller,
  written: NewCampaign,
  company_id: number = caller.company_id,
): Promise<Campaign> {
  const { db, live, clock } = needs
  const columns = columnsOf(written, clock)
  const campaign = await db.write(async (tx) => {
    await settingsOf(tx, caller.scope, company_id)
    const row = {
      company_id,
      ...columns,
      ...NEW_DRAFT,
      created_at: instant(clock.now()),
      created_by: caller.name,
    }
    const id = await campaignStore(tx, { company_id }).insert(row)
    await record(tx, clock, caller, row, 'created', differences(undefined, audited(row)))
    return { id, ...row }
  })
  live.changed(company_id, 'campaigns', 'audit')
  return asCampaign(needs, campaign)
}

/** Replaces what a draft says. `unknown_campaign`, `wrong_state`, `invalid`. */
export async function changeCampaign(
  needs: CampaignNeeds,
  caller: Caller,
  id: number,
  written: NewCampaign,
): Promise<Campaign> {
  const { db, live, clock } = needs
  const columns = columnsOf(written, clock)
  const campaign = await db.write(async (tx) => {
    const before = await heldIn(tx, caller.scope, id, ['draft'])
    const after = { ...before, ...columns, version: before.version + 1 }
    await campaignStore(tx, caller.scope).update(id, { ...columns, version: after.version })
    await record(tx, clock, caller, after, 'changed', differences(audited(before), audited(after)))
    return after
  })
  live.changed(campaign.company_id, 'campaigns', 'audit')
  return asCampaign(needs, campaign)
}

/** Removes a draft, or a campaign that has ended. Its messages stay. `unknown_campaign`, `wrong_state`. */
export async function deleteCampaign(
  needs: Pick<CampaignNeeds, 'db' | 'live' | 'clock'> & MoveNeeds,
  caller: Caller,
  id: number,
): Promise<void> {
  const { db, live, clock } = needs
  const campaign = await db.write(async (tx) => {
    const campaign = await heldIn(tx, caller.scope, id, ['draft', 'stopped', 'finished'])
    await campaignStore(tx, caller.scope).update(id, { state: 'removed' })
    await record(tx, clock, caller, campaign, 'removed')
    return campaign
  })
  live.changed(campaign.company_id, 'campaigns', 'audit')
  await removeRows(needs, campaign, caller.name)
}

/** The campaign, locked until the commit. `unknown_campaign`; `wrong_state` if it is in none of these states. */
export async function heldIn(
  tx: Tx,
  scope: Scope,
  id: number,
  states: readonly CampaignState[],
): Promise<CampaignRecord> {
  const campaign = known(await campaignStore(tx, scope).hold(id), id)
  if ((states as readonly string[]).includes(campaign.state)) return campaign
  throw wrongState(campaign)
}

/** `unknown_campaign`, `wrong_state`. */
export async function draftById(
  { db }: Pick<ViewNeeds, 'db'>,
  scope: Scope,
  id: number,
): Promise<CampaignRecord> {
  const campaign = known(await campaignStore(db.read, scope).byId(id), id)
  if (campaign.state !== 'draft') throw wrongState(campaign)
  return campaign
}

export function wrongState({ name, state }: Pick<CampaignRecord, 'name' | 'state'>): Refusal {
  const detail = `The campaign ${JSON.stringify(name)} is ${state}: that does not allow it.`
  return new Refusal('wrong_state', detail, { params: { state }, facts: { state } })
}

export function known(campaign: CampaignRecord | undefined, id: number): CampaignRecord {
  if (campaign === undefined) throw new Refusal('unknown_campaign', `There is no campaign ${id}.`)
  return campaign
}

/** Writes what a person did with a campaign into the audit log. */
export function record(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  { company_id, name }: Pick<Campaigns, 'company_id' | 'name'>,
  what: 'created' | 'changed' | 'started' | 'paused' | 'resumed' | 'stopped' | 'removed',
  changes?: ReturnType<typeof differences>,
): Promise<void> {
  const entry = { company_id, action: `campaign.${what}`, name } as const
  return recordChange(tx, clock, caller, { ...entry, ...(changes && { changes }) })
}

function audited({
  name,
  text,
  class: its_class,
  lists,
  not_before,
  expires_at,
  via,
}: Omit<Campaigns, 'id'>) {
  return { name, text, class: its_class, lists: JSON.parse(lists) as string[], not_before, expires_at, via }
}

function columnsOf(written: NewCampaign, clock: Clock) {
  const { name, text, via = null, lists } = written
  const [not_before, expires_at] = [utc(written.not_before), utc(written.expires_at)]
  refuseExpired({ expires_at }, clock)
  if (not_before !== null) refuseUntil(not_before, expires_at, 'must be after not_before')
  return {
    name,
    name_key: foldedName(name),
    text,
    class: written.class,
    lists: JSON.stringify([...new Set(lists ?? [])]),
    via,
    not_before,
    expires_at,
  }
}

/** `invalid` if a draft has expired. */
export function refuseExpired({ expires_at }: Pick<Campaigns, 'expires_at'>, clock: Clock): void {
  refuseUntil(instant(clock.now()), expires_at, 'has passed already')
}

function refuseUntil(min: string, expires_at: string | null, why: string): void {
  if (expires_at !== null && expires_at <= min)
    throw invalidField('expires_at', why, 'out_of_range', { min, max: null })
}
