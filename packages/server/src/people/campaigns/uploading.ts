import { setImmediate as turn } from 'node:timers/promises'
import { MAX_CAMPAIGN_ROWS, NewCampaignRow, type RowFault } from '@sdd/contract/people/campaign-rows.ts'
import { AnyInstant } from '@sdd/contract/core/fields.ts'
import { explainFaults, invalidField } from '#server/core/field-faults.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { DAY_MS, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import { parse } from '#server/core/http/request.ts'
import type { CampaignRows } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DestinationRules } from '#server/messages/destinations/rules.ts'
import { fieldsText, foldedName } from '#server/people/contacts/contacts.ts'
import { type CampaignNeeds, heldIn, known } from './campaigns.ts'
import { openRendering, rowFault } from './rendering.ts'
import { contactsOf, rowStore } from './rows.store.ts'
import { UPLOADING } from './figures.ts'
import { type CampaignRecord, campaignStore, countStore } from './store.ts'

type Needs = Pick<CampaignNeeds, 'db' | 'live' | 'clock'> & {
  numbers: Pick<Numbers, 'kept'>
  destinations: Pick<DestinationRules, 'of'>
  diskSpace: Pick<DiskSpace, 'refuseIfShort'>
}

type Upload = {
  first_row: number
  rows: readonly unknown[]
  last?: boolean | undefined
  of?: number | undefined
}
type Uploaded = { rows: number; repeated: number; refused: (RowFault & { row: number })[] }

/** Rows of one transaction. Other writes get a turn between two. */
const AT_ONCE = 1_000
/** No row may be scheduled further ahead. */
const HORIZON_MS = 366 * DAY_MS

/**
 * Stores rows of a draft. A call that broke off may be repeated: it replaces what it stored. `unknown_campaign`,
 * `wrong_state`, `invalid`, `disk_full`.
 */
export async function uploadRows(
  needs: Needs,
  caller: Caller,
  id: number,
  upload: Upload,
): Promise<Uploaded> {
  const { db, live, clock, diskSpace, destinations } = needs
  const { first_row, last = false, of } = upload
  diskSpace.refuseIfShort()
  const campaign = known(await campaignStore(db.read, caller.scope).byId(id), id)
  const { company_id } = campaign
  if (first_row - 1 + upload.rows.length > MAX_CAMPAIGN_ROWS)
    throw invalidField('rows', `would be more than ${MAX_CAMPAIGN_ROWS} in all`, 'too_long', {
      max: MAX_CAMPAIGN_ROWS,
    })
  const now_ms = clock.now()
  const rows = upload.rows.map((written, index) =>
    readRow(needs, campaign, first_row + index, written, now_ms),
  )
  const end = first_row - 1 + rows.length
  let count = campaign.rows
  for (let at = 0; at === 0 || at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE)
    const drop = last && at + AT_ONCE >= rows.length ? end : undefined
    count = await db.write(async (tx) => {
      const held = await heldIn(tx, caller.scope, id, ['draft'])
      if (first_row > held.rows + 1)
        throw invalidField('first_row', `leaves a gap: the next row is ${held.rows + 1}`, 'out_of_range', {
          min: 1,
          max: held.rows + 1,
        })
      const store = rowStore(tx, id)
      const to = drop === undefined ? first_row + at + some.length - 1 : Number.MAX_SAFE_INTEGER
      await store.removeFrom(first_row + at, to)
      await store.insert(some)
      const rows_now = drop ?? Math.max(held.rows, first_row - 1 + at + some.length)
      await campaignStore(tx, caller.scope).update(id, { rows: rows_now, version: held.version + 1 })
      if (drop !== undefined) await noteUpload(tx, id, undefined)
      else if (of !== undefined && at === 0) await noteUpload(tx, id, of)
      return rows_now
    })
    await turn()
  }
  live.changed(company_id, 'campaigns')

  const render = openRendering(campaign, await destinations.of(db.read, company_id, undefined))
  const uploaded: Uploaded = { rows: count, repeated: 0, refused: [] }
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE)
    const numbers = some.filter((row) => row.fault === null).map(({ number }) => number)
    const contacts = await contactsOf(db.read, company_id, numbers)
    const first = await rowStore(db.read, id).firstOf(numbers)
    for (const row of some) {
      const { fault } = render(row, contacts.get(row.number))
      if (fault) uploaded.refused.push({ row: row.line, ...fault })
      else if ((first.get(row.number) ?? row.line) < row.line) uploaded.repeated++
    }
    await turn()
  }
  return uploaded
}

/** Notes that an upload of so many rows has begun, or that it has reached its end. */
async function noteUpload(tx: Tx, id: number, rows: number | undefined): Promise<void> {
  const counts = countStore(tx)
  // A draft has no other figures.
  await counts.clear(id)
  if (rows !== undefined) await counts.add(id, UPLOADING, rows)
}

function readRow(
  { numbers }: Pick<Needs, 'numbers'>,
  { id, company_id }: CampaignRecord,
  line: number,
  written: unknown,
  now_ms: number,
): CampaignRows {
  const { number: typed } = Object(written) as { number?: unknown }
  const as_typed = typeof typed === 'string' ? typed.slice(0, 100).replaceAll('\0', '') : ''
  const { value, faults } = parse(NewCampaignRow, written, { whole: 'row' })
  const number = numbers.kept(company_id, as_typed)
  const at = value?.at ? readTime(value.at, now_ms) : null
  const fields = value?.fields ?? {}
  const { name = '', ...rest } = fields
  let why: RowFault | undefined
  if (number === undefined)
    why = rowFault(
      'invalid_number',
      `${JSON.stringify(as_typed.slice(0, 40))} is no possible phone number: write it with + and its country code.`,
    )
  else if (faults) why = rowFault('invalid', explainFaults(faults))
  else if (at === undefined)
    why = rowFault(
      'invalid_at',
      `${JSON.stringify(value.at!.slice(0, 40))} is no time with its zone within a year, such as 2026-01-31T09:30:00Z.`,
    )
  return {
    campaign_id: id,
    line,
    number: number ?? as_typed,
    name: name.trim() || null,
    name_key: foldedName(name.trim()),
    fields: fieldsText(rest),
    at: at ?? null,
    due_at: at ?? '',
    state: 'pending',
    reason: null,
    fault: why ? JSON.stringify(why) : null,
    blocked: 0,
    message_id: null,
    changed_at: null,
  }
}

/** In UTC; `undefined` if it is no time, or too far ahead. */
function readTime(written: string, now_ms: number): string | undefined {
  if (!AnyInstant.safeParse(written).success) return undefined
  const at_ms = Date.parse(written)
  return at_ms > now_ms + HORIZON_MS ? undefined : instant(at_ms)
}
