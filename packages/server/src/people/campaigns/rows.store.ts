import type { RowState, SkipReason } from '@sdd/contract/people/campaign-rows.ts'
import type { CampaignReason } from '@sdd/contract/people/campaigns.ts'
import { isIn, limit, perEngine, sql, when } from '@sdd/storage/sql.ts'
import { likePart } from '#server/database/like.ts'
import type { CampaignRows, Contacts } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { selectAnywhere } from '#server/messages/messages/rows.ts'

/** The rows of one campaign. The caller has checked the scope. */
export function rowStore(tx: Tx, campaign_id: number) {
  return {
    /** In ascending order, after this line. */
    after: (line: number, most: number) => tx.rows(AFTER, { campaign_id, line, limit: most }),

    /** A page of a list. */
    page: ({ states, reason, name, number, descending }: AskedRows, from: number | undefined, most: number) =>
      tx.rows(descending ? LAST_FIRST : FIRST_FIRST, {
        campaign_id,
        states,
        reason,
        name: name && likePart(name),
        number: number && likePart(number),
        from,
        limit: most,
      }),

    insert: (rows: readonly CampaignRows[]) => tx.insert('campaign_rows', rows),

    removeFrom: (line: number, to: number) => tx.run(REMOVE, { campaign_id, line, to }),

    /** The first valid row of each of these numbers. */
    async firstOf(numbers: readonly string[]): Promise<Map<string, number>> {
      const rows = await tx.rows(FIRST_OF, { campaign_id, numbers })
      return new Map(rows.map(({ number, line }) => [number, line]))
    },
  }
}

/** Marks the rows of a draft before it starts. The caller holds the campaign. */
export function preparationStore(tx: Tx, campaign_id: number) {
  return {
    /** Takes back what a start that broke off has marked. */
    clear: () => tx.run(UNMARK, { campaign_id }),

    /** With a fault that follows from the text, which `blocked` marks in a draft. */
    async skip(rows: readonly SkippedRow[], now: string) {
      for (const row of rows) await skipRow(tx, campaign_id, row, now, 1)
    },
  }
}

export type SkippedRow = { line: number; reason: SkipReason; fault: string | null }

function skipRow(
  tx: Tx,
  campaign_id: number,
  { line, reason, fault }: SkippedRow,
  now: string,
  blocked: 0 | 1,
): Promise<void> {
  const change = {
    state: 'skipped',
    reason,
    changed_at: now,
    ...(fault !== null && { fault, blocked }),
  } as const
  return tx.update('campaign_rows', { campaign_id, line }, change)
}

export type PendingRow = Pick<CampaignRows, 'line' | 'number' | 'name' | 'fields' | 'at' | 'fault'>

/** The pending rows of a started campaign. To change them, the caller holds the campaign. */
export function pendingStore(tx: Tx, campaign_id: number) {
  return {
    /** Rows whose turn has come. */
    due: (now: string, most: number) => tx.rows(DUE, { campaign_id, now, limit: most }),

    postpone: (lines: readonly number[], due_at: string) => tx.run(POSTPONE, { campaign_id, lines, due_at }),

    made: ({ line, message_id, now }: { line: number; message_id: number; now: string }) =>
      tx.update('campaign_rows', { campaign_id, line }, { state: 'queued', message_id, changed_at: now }),

    skip: (row: SkippedRow, now: string) => skipRow(tx, campaign_id, row, now, 0),

    /** Ends at most so many rows without a message. Returns how many. */
    end: async (state: 'expired' | 'cancelled', now: string, most: number): Promise<number> =>
      (await tx.rows(END, { campaign_id, state, now, limit: most })).length,

    /** The next one. */
    next: () => tx.first(NEXT, { campaign_id }),
  }
}

/** Lets the pending rows of a company look at its new sending hours. */
export function releaseRows(tx: Tx, company_id: number, now: string): Promise<void> {
  return tx.run(RELEASE, { company_id, now })
}

/** Copies the failed rows that may be tried again into a draft. Returns how many. */
export async function copyFailed(
  tx: Tx,
  asked: { from: number; to: number; reason: string | undefined },
): Promise<number> {
  await tx.run(COPY, asked)
  return (await tx.first(COUNT, { campaign_id: asked.to }))!.count
}

/** The rows that ended badly, by reason, the most frequent first. */
export function reasonsIn(tx: Tx, campaign_id: number): Promise<CampaignReason[]> {
  return tx.rows(REASONS, { campaign_id })
}

/** `name` is a part of the name as `foldedName` writes it. With `number`, rows of such a number are found, too. */
export type AskedRows = {
  states?: readonly RowState[] | undefined
  reason?: string | undefined
  name?: string | undefined
  number?: string | undefined
  descending: boolean
}

export type ContactOf = Pick<Contacts, 'number' | 'name' | 'fields' | 'consent_at'>

/** The contacts of these numbers, by number. */
export async function contactsOf(
  tx: Tx,
  company_id: number,
  numbers: readonly string[],
): Promise<Map<string, ContactOf>> {
  if (numbers.length === 0) return new Map()
  const rows = await tx.rows(CONTACTS_OF, { company_id, numbers })
  return new Map(rows.map((row) => [row.number, row]))
}

/** Members of at least one of these lists, by number, after this one. */
export async function membersOf(
  tx: Tx,
  company_id: number,
  lists: readonly string[],
  after: string,
  most: number,
): Promise<string[]> {
  const rows = await tx.rows(MEMBERS, { company_id, lists, after, limit: most })
  return rows.map(({ number }) => number)
}

/** Those of these numbers that have got as many messages today as the company allows. */
export async function fullToday(
  tx: Tx,
  company_id: number,
  numbers: readonly string[],
  day: string,
  most: number,
): Promise<Set<string>> {
  const rows = await tx.rows(FULL, { company_id, numbers, day, most })
  return new Set(rows.map(({ number }) => number))
}

type RowMessage = Pick<Message, (typeof messageColumns)[number]>

const messageColumns = ['id', 'guid', 'message', 'device_guid', 'error_msg', 'answer_3'] as const

/** The messages of rows, by id. Old ones may have been removed. */
export async function messagesOf(tx: Tx, ids: readonly number[]): Promise<Map<number, RowMessage>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.rows(MESSAGES_OF, { ids, first: Math.min(...ids) })
  return new Map(rows.map((row) => [row.id, row]))
}

const AFTER = sql<CampaignRows, { campaign_id: number; line: number; limit: number }>`
  select * from campaign_rows where campaign_id = :campaign_id and line > :line order by line ${limit()}`

type Page = {
  campaign_id: number
  states: readonly string[] | undefined
  reason: string | undefined
  number: string | undefined
  name: string | undefined
  from: number | undefined
  limit: number
}

const SELECTED = [
  when('states')`and ${isIn('state', 'states')}`,
  when('reason')`and reason = :reason`,
  when('name')`and (name_key like :name escape '\\' ${when('number')`or number like :number escape '\\'`})`,
] as const

const FIRST_FIRST = sql<CampaignRows, Page>`
  select * from campaign_rows where campaign_id = :campaign_id ${when('from')`and line > :from`}
    ${SELECTED[0]} ${SELECTED[1]} ${SELECTED[2]} order by line ${limit()}`

const LAST_FIRST = sql<CampaignRows, Page>`
  select * from campaign_rows where campaign_id = :campaign_id ${when('from')`and line < :from`}
    ${SELECTED[0]} ${SELECTED[1]} ${SELECTED[2]} order by line desc ${limit()}`

const REMOVE = sql<never, { campaign_id: number; line: number; to: number }>`
  delete from campaign_rows where campaign_id = :campaign_id and line >= :line and line <= :to`

const FIRST_OF = sql<{ number: string; line: number }, { campaign_id: number; numbers: readonly string[] }>`
  select number, min(line) as line from campaign_rows
  where campaign_id = :campaign_id and ${isIn('number', 'numbers')} and fault is null group by number`

const CONTACTS_OF = sql<ContactOf, { company_id: number; numbers: readonly string[] }>`
  select number, name, fields, consent_at from contacts
  where company_id = :company_id and ${isIn('number', 'numbers')}`

const UNMARK = sql<never, { campaign_id: number }>`
  update campaign_rows set state = 'pending', reason = null, changed_at = null,
    fault = case when blocked = 1 then null else fault end, blocked = 0
  where campaign_id = :campaign_id and state = 'skipped'`

const DUE = sql<PendingRow, { campaign_id: number; now: string; limit: number }>`
  select line, number, name, fields, at, fault from campaign_rows
  where campaign_id = :campaign_id and state = 'pending' and due_at <= :now order by due_at, line ${limit()}`

const NEXT = sql<Pick<CampaignRows, 'number' | 'due_at' | 'at'>, { campaign_id: number }>`
  select number, due_at, at from campaign_rows
  where campaign_id = :campaign_id and state = 'pending' order by due_at, line limit 1`

const POSTPONE = sql<never, { campaign_id: number; lines: readonly number[]; due_at: string }>`
  update campaign_rows set due_at = :due_at where campaign_id = :campaign_id and ${isIn('line', 'lines')}`

const RELEASE = sql<never, { company_id: number; now: string }>`
  update campaign_rows set due_at = coalesce(at, '')
  where state = 'pending' and due_at > :now and due_at > coalesce(at, '') and campaign_id in (
    select id from campaigns where company_id = :company_id and state in ('scheduled', 'running', 'paused'))`

const END = sql<{ line: number }, { campaign_id: number; state: string; now: string; limit: number }>`
  update campaign_rows set state = :state, reason = :state, changed_at = :now
  where campaign_id = :campaign_id and line in (
    select line from campaign_rows where campaign_id = :campaign_id and state = 'pending' order by due_at, line ${limit()})
  returning line`

const COPY = sql<never, { from: number; to: number; reason: string | undefined }>`
  insert into campaign_rows (campaign_id, line, number, name, name_key, fields, due_at, state, blocked)
  select cast(:to as bigint), row_number() over (order by line), number, name, name_key, fields, '', 'pending', 0
  from campaign_rows
  where campaign_id = :from and state = 'failed' and blocked = 0 ${when('reason')`and reason = :reason`}`

const COUNT = sql<{ count: number }, { campaign_id: number }>`
  select count(*) as count from campaign_rows where campaign_id = :campaign_id`

const REASONS = sql<CampaignReason, { campaign_id: number }>`
  select state, coalesce(reason, state) as reason, count(*) as count,
    sum(case when state = 'failed' and blocked = 0 then 1 else 0 end) as retryable
  from campaign_rows
  where campaign_id = :campaign_id and state in ('failed', 'uncertain', 'expired', 'cancelled', 'skipped')
  group by state, coalesce(reason, state) order by count desc, state, reason`

const MEMBERS = sql<
  { number: string },
  { company_id: number; lists: readonly string[]; after: string; limit: number }
>`
  select distinct number from contact_lists
  where company_id = :company_id and ${isIn('list', 'lists')} and number > :after order by number ${limit()}`

const FULL = sql<
  { number: string },
  { company_id: number; numbers: readonly string[]; day: string; most: number }
>`
  select number from recipient_counts
  where company_id = :company_id and ${isIn('number', 'numbers')} and day >= :day and count >= :most`

/** Skips the months before the first message's. */
const MESSAGES_OF = sql<RowMessage, { ids: readonly number[]; first: number }>`
  ${selectAnywhere(messageColumns)} and ${isIn('messages.id', 'ids')}
    ${perEngine({ sqlite: '', postgres: 'and messages.id >= :first' })}`
