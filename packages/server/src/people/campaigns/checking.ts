import type { CheckedRow, CheckSelection, RowGroup } from '@sdd/contract/people/campaign-checks.ts'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { SkipReason } from '@sdd/contract/people/campaign-rows.ts'
import type { Scope } from '#server/core/context.ts'
import { type CsvColumn, csvHead, csvRow } from '#server/core/csv.ts'
import { cursorId } from '#server/core/paging.ts'
import { draftById } from './campaigns.ts'
import { type Judged, type JudgeNeeds, judgeRows } from './judging.ts'
import type { CampaignRecord } from './store.ts'

const GROUPS = {
  invalid: 'invalid',
  repeated: 'repeated',
  opted_out: 'opted_out',
  no_consent: 'without_consent',
  recipient_limit: 'over_recipient_cap',
} as const satisfies Record<SkipReason, RowGroup>

/** The group of the preview that a row is in. */
export function groupOf({ reason, rendered }: Pick<Judged, 'reason' | 'rendered'>): RowGroup {
  if (reason !== undefined) return GROUPS[reason]
  return rendered.fault ? 'invalid' : 'sendable'
}

/** The fields that a text may use for a row. Its own come before those of its contact. */
export function valuesOf({ number, name, row, contact }: Judged): Record<string, string> {
  const theirs = JSON.parse(contact?.fields ?? '{}') as Record<string, string>
  return { ...theirs, ...(JSON.parse(row.fields) as typeof theirs), ...(name !== null && { name }), number }
}

/**
 * A page of the rows of a draft that are in these groups now, by row. All rows before are judged too, because a row is
 * repeated if an earlier one has its number. `unknown_campaign`, `wrong_state`.
 */
export async function checkRows(
  needs: JudgeNeeds,
  scope: Scope,
  id: number,
  { group, limit, cursor }: CheckSelection,
): Promise<{ rows: CheckedRow[]; next_cursor: string | null }> {
  const campaign = await draftById(needs, scope, id)
  const wanted = group && new Set<RowGroup>(group)
  const after = cursorId(cursor) ?? 0
  const page: CheckedRow[] = []
  for await (const rows of judgeRows(needs, campaign)) {
    for (const judged of rows) {
      if (judged.line <= after || (wanted && !wanted.has(groupOf(judged)))) continue
      if (page.length === limit) return { rows: page, next_cursor: String(page.at(-1)!.row) }
      page.push(asChecked(judged))
    }
  }
  return { rows: page, next_cursor: null }
}

/** The rows of a draft that would not be sent, with reasons. `unknown_campaign`, `wrong_state`. */
export async function exportCheck(needs: JudgeNeeds, scope: Scope, id: number): Promise<CsvFile> {
  const campaign = await draftById(needs, scope, id)
  return { filename: `campaign-${id}-not-sent.csv`, pieces: writeCheck(needs, campaign) }
}

async function* writeCheck(needs: JudgeNeeds, campaign: CampaignRecord): AsyncGenerator<string> {
  yield csvHead(columns)
  for await (const rows of judgeRows(needs, campaign)) {
    const unsendable = rows.map(asChecked).filter(({ group }) => group !== 'sendable')
    yield unsendable.map((row) => csvRow(columns, row)).join('')
  }
}

const columns: readonly CsvColumn<CheckedRow>[] = [
  ['row', ({ row }) => row],
  ['number', ({ number }) => number, 'number'],
  ['name', ({ name }) => name],
  ['reason', ({ group, fault }) => fault?.code ?? group],
  ['detail', ({ fault }) => fault?.detail],
  ['text', ({ text }) => text],
]

function asChecked(judged: Judged): CheckedRow {
  const { line, number, name, row, member, rendered, fault } = judged
  const own = JSON.parse(row.fields) as Record<string, string>
  return {
    row: line,
    number,
    name,
    fields: { ...own, ...(row.name !== null && { name: row.name }) },
    at: row.at,
    member,
    values: valuesOf(judged),
    group: groupOf(judged),
    text: rendered.text ?? null,
    fault: fault ?? null,
  }
}
