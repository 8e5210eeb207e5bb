import type { CampaignRow, RowFault, RowSelection, RowState } from '@sdd/contract/people/campaign-rows.ts'
import { type Numbers, searchedNumber } from '#server/accounts/settings/numbers.ts'
import type { Caller } from '#server/core/context.ts'
import { cursorId, pageBy } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import type { CampaignRows } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { errorMsgFieldsOf } from '#server/messages/outcomes/outcomes.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { foldedName } from '#server/people/contacts/contacts.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import { known } from './campaigns.ts'
import { openRendering } from './rendering.ts'
import { type AskedRows, contactsOf, messagesOf, rowStore } from './rows.store.ts'
import { type CampaignRecord, campaignStore } from './store.ts'

type Needs = { db: Pick<Database, 'read' | 'readInWorker'>; numbers: Pick<Numbers, 'kept'> }

/** A page of a campaign's rows, by row. `next_cursor` is null on the last page. `unknown_campaign`. */
export async function listRows(
  { db, numbers }: Needs,
  caller: Caller,
  id: number,
  { limit, cursor, ...asked }: RowSelection,
): Promise<{ rows: CampaignRow[]; next_cursor: string | null }> {
  const campaign = known(await campaignStore(db.read, caller.scope).byId(id), id)
  const replies = await mayReadInbox(db.read, caller)
  // A search, or a rare reason, reads many rows.
  const tx = asked.search || asked.reason ? db.readInWorker : db.read
  const selected = askedRows(numbers, campaign, asked)
  const found = await rowStore(tx, id).page(selected, cursorId(cursor), limit + 1)
  const { page, next_cursor } = pageBy(found, limit, ({ line }) => String(line))
  return { rows: await asRows(tx, campaign, page, replies), next_cursor }
}

export function askedRows(
  numbers: Pick<Numbers, 'kept'>,
  { company_id }: Pick<CampaignRecord, 'company_id'>,
  { state, reason, search, order }: Partial<RowSelection>,
): AskedRows {
  const states = state && new Set<RowState>(state)
  // People see a reply as a delivered message.
  if (states?.has('delivered')) states.add('replied')
  return {
    states: states && [...states],
    reason,
    ...searchedBy(numbers, company_id, search),
    descending: order === 'desc',
  }
}

function searchedBy(numbers: Pick<Numbers, 'kept'>, company_id: number, search: string | undefined) {
  const term = search?.trim()
  if (!term) return {}
  const number = searchedNumber(numbers, company_id, term) ?? dropSeparators(term)
  return { name: foldedName(term), ...(number && { number }) }
}

/** These rows in the form of the contract. Without `replies`, the caller may not read received SMS. */
export async function asRows(
  tx: Tx,
  campaign: Pick<CampaignRecord, 'company_id' | 'state' | 'text' | 'expires_at'>,
  rows: readonly CampaignRows[],
  replies: boolean,
): Promise<CampaignRow[]> {
  const messages = await messagesOf(
    tx,
    rows.flatMap(({ message_id }) => message_id ?? []),
  )
  // An unmade row needs the fields of its contact, and a row without a name needs that of its contact.
  const completed = rows.filter(({ message_id, name }) => message_id === null || name === null)
  const contacts = await contactsOf(
    tx,
    campaign.company_id,
    completed.map(({ number }) => number),
  )
  const render = openRendering(campaign, undefined)
  return rows.map((row) => {
    const message = row.message_id === null ? undefined : messages.get(row.message_id)
    const rendered = message ? undefined : render({ ...row, fault: null }, contacts.get(row.number))
    const fault = row.fault === null ? (rendered?.fault ?? null) : (JSON.parse(row.fault) as RowFault)
    const explained = row.message_id === null && (row.state === 'pending' || row.reason === 'invalid')
    return {
      row: row.line,
      number: row.number,
      name: row.name ?? contacts.get(row.number)?.name ?? null,
      text: message?.message ?? rendered?.text ?? null,
      // A start that has not committed may have marked it.
      state: campaign.state === 'draft' ? 'pending' : row.state,
      reason: campaign.state === 'draft' ? null : row.reason,
      guid: message?.guid ?? null,
      device_uid: message?.device_guid ?? null,
      at: row.changed_at ?? row.at,
      ...errorMsgFieldsOf(message?.error_msg ?? null),
      fault: explained ? fault : null,
      reply: replies ? (message?.answer_3 ?? null) : null,
    }
  })
}
