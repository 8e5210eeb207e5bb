import type { CampaignRow, RowSelection } from '@sdd/contract/people/campaign-rows.ts'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import type { Caller } from '#server/core/context.ts'
import { type CsvColumn, csvHead, csvRow } from '#server/core/csv.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { known } from './campaigns.ts'
import { askedRows, asRows } from './listing.ts'
import { type AskedRows, rowStore } from './rows.store.ts'
import { type CampaignRecord, campaignStore } from './store.ts'

type Needs = { db: Pick<Database, 'read' | 'readInWorker'>; numbers: Pick<Numbers, 'kept'> }

const PAGE = 500

/** A campaign's rows as a CSV file, by row. `unknown_campaign`. */
export async function exportRows(
  { db, numbers }: Needs,
  caller: Caller,
  id: number,
  asked: Partial<RowSelection>,
): Promise<CsvFile> {
  const campaign = known(await campaignStore(db.read, caller.scope).byId(id), id)
  const replies = await mayReadInbox(db.read, caller)
  return {
    filename: `campaign-${id}.csv`,
    pieces: writeRows(db.readInWorker, campaign, askedRows(numbers, campaign, asked), replies),
  }
}

async function* writeRows(
  tx: Tx,
  campaign: CampaignRecord,
  asked: AskedRows,
  replies: boolean,
): AsyncGenerator<string> {
  yield csvHead(columns)
  for (let after: number | undefined; ;) {
    const found = await rowStore(tx, campaign.id).page(asked, after, PAGE)
    const rows = await asRows(tx, campaign, found, replies)
    yield rows.map((row) => csvRow(columns, row)).join('')
    if (found.length < PAGE) return
    after = found.at(-1)!.line
  }
}

const columns: readonly CsvColumn<CampaignRow>[] = [
  ['row', ({ row }) => row],
  ['number', ({ number }) => number, 'number'],
  ['name', ({ name }) => name],
  ['text', ({ text }) => text],
  ['state', ({ state }) => state],
  ['reason', ({ reason }) => reason],
  ['guid', ({ guid }) => guid],
  ['device_uid', ({ device_uid }) => device_uid],
  ['at', ({ at }) => at],
  ['error_msg', ({ error_msg, fault }) => error_msg ?? fault?.detail],
  ['reply', ({ reply }) => reply],
]
