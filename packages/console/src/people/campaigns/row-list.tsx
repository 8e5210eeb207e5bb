import type { CampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import { ArrowUp, X } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { rowsQuery } from './campaign-calls.ts'
import { Chip } from './chip.tsx'
import { reasonText } from './failures.tsx'
import { campaignPage as words } from './page-text.ts'
import { countIn, type Part } from './progress.ts'
import { rowColumns } from './row-columns.tsx'
import { steadyRows } from './row-order.ts'
import type { CampaignSearch } from './search.ts'
import { campaigns as listWords } from './text.ts'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList } from '#console/ui/list-screen.tsx'
import { ScrolledList } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'
import { stripLook } from '#console/ui/strip.ts'

const RowDetails = lazyPart(() => import('./row-details.tsx'))

const chips: readonly Part[] = ['queue', 'delivered', 'failed', 'uncertain']
const marks = { failed: 'cross', uncertain: 'triangle' } as const

type Props = {
  campaign: CampaignDetail
  part: Part | undefined
  search: CampaignSearch
  scroller: HTMLElement | null
  onChange: (next: Partial<CampaignSearch>) => void
}

/** Widths at which all columns fit, below the boxes and next to them. */
const TABULAR = '(960px <= width < 1280px), (width >= 1394px)'

/** The campaign's rows, those that moved last first. */
export default function RowList({
  campaign,
  part,
  search: { reason, q, row: open },
  scroller,
  onChange,
}: Props) {
  const { id, counts, rows: total } = campaign
  const { field, clear } = useSearch(q, (value) => onChange({ q: value?.trim() || undefined }))
  const query = useMemo(() => rowsQuery(id, { part, reason, search: q }), [id, part, reason, q])
  const list = usePages(query)
  const key = JSON.stringify([id, part, reason, q])
  const { rows, fresh, bringIn } = useSteady(list, key)
  const shownChips = part === undefined || chips.includes(part) ? chips : [...chips, part]
  const filtered = part !== undefined || reason !== undefined || q !== undefined
  const toggle = ({ row }: CampaignRow) => onChange({ row: open === String(row) ? undefined : String(row) })
  return (
    <section aria-label={words.table} className="flex min-w-0 flex-col">
      <div className="panel relative flex flex-wrap items-center gap-x-3 gap-y-2 rounded-b-none border-b-0 p-2.5">
        <fieldset
          aria-label={listWords.filterLabel}
          className={`${stripLook.ofPhones} flex min-w-0 gap-1.5 md:flex-wrap max-md:-mx-2.5 max-md:px-2.5 [--strip:var(--color-panel)]`}
        >
          <Chip
            label={words.all}
            count={total}
            pressed={part === undefined && reason === undefined}
            onPress={() => onChange({ state: undefined, reason: undefined, row: undefined })}
          />
          {shownChips.map((other) => (
            <Chip
              key={other}
              label={listWords.parts[other]}
              mark={other === 'failed' || other === 'uncertain' ? marks[other] : undefined}
              count={countIn(counts, other)}
              pressed={part === other}
              onPress={() => onChange({ state: other, reason: undefined, row: undefined })}
            />
          ))}
        </fieldset>
        {reason !== undefined && (
          <button
            type="button"
            aria-label={words.noReason(reasonText(part ?? '', reason))}
            onClick={() => onChange({ reason: undefined })}
            className="inline-flex h-8 items-center gap-1.5 rounded-sm border border-line bg-panel px-2.5 text-sm max-md:h-11"
          >
            {words.reason(reasonText(part ?? '', reason))}
            <X className="size-3.5" aria-hidden="true" />
          </button>
        )}
        <output className="sr-only">{fresh > 0 && words.freshSaid}</output>
        {fresh > 0 && (
          <button
            type="button"
            // Over the table, so that nothing moves when it appears.
            style={{ bottom: -14, left: '50%', translate: '-50%' }}
            className="absolute z-10 inline-flex h-7 items-center gap-[5px] rounded-full bg-accent px-3 text-sm font-bold text-on-accent tabular-nums max-md:h-11"
            onClick={bringIn}
          >
            <ArrowUp className="size-4" aria-hidden="true" />
            {words.fresh(fresh, fresh === list.rows?.length)}
          </button>
        )}
        <SearchField {...field} placeholder={words.search} className="ml-auto w-[190px] max-md:w-full" />
      </div>
      {list.failed && (
        <Notice tone="bad" retry={{ label: text.retry, run: list.retry }}>
          {list.failed === 'rest' ? text.moreFailed : words.rowsFailed}{' '}
          {rows && list.failed === 'all' && text.kept}
        </Notice>
      )}
      {(rows || !list.failed) && (
        <div className="panel min-w-0 rounded-t-none max-md:border-0 max-md:bg-transparent">
          <ScrolledList
            label={words.table}
            rows={rows}
            keyOf={keyOf}
            columns={rowColumns()}
            cards="'row state at' auto 'number number number' auto 'name name device' auto 'outcome outcome outcome' auto/auto 1fr auto"
            rowLook="cursor-pointer [&[aria-current]]:[--edge:var(--color-info-solid)] [&[aria-current]]:[--row:var(--color-info-bg)] card:min-h-[112px] card:gap-x-3"
            tabular={TABULAR}
            rowHeight={{ table: 37, card: 120 }}
            grows
            skeletons={8}
            hasMore={list.hasMore}
            onMore={list.more}
            previous={list.previous}
            acts={{ open: toggle }}
            open={open === undefined ? undefined : [open]}
            details={(row) => (
              <Suspense fallback={<div aria-busy="true" className="h-12" />}>
                <RowDetails row={row} company={campaign.company_id} />
              </Suspense>
            )}
            isCurrent={({ row }) => String(row) === open}
            onRow={toggle}
            onCopy={({ number }) => void copyText(number, words.copied(number))}
            scroller={scroller}
          >
            {rows?.length === 0 && (
              <EmptyList
                said={filtered ? words.noRowsFiltered : words.noRows}
                action={
                  filtered && {
                    label: text.clearFilters,
                    run() {
                      clear()
                      onChange({ state: undefined, reason: undefined, q: undefined })
                    },
                  }
                }
              />
            )}
          </ScrolledList>
        </div>
      )}
    </section>
  )
}

/** Rows that change in place; those that would move others wait until `bringIn`. `key` names the selection. */
function useSteady(
  { rows: loaded, previous }: { rows: readonly CampaignRow[] | undefined; previous: boolean },
  key: string,
) {
  const [shown, setShown] = useState<{ key: string; rows: readonly CampaignRow[] }>()
  if (loaded === undefined || previous) return { rows: loaded, fresh: 0, bringIn: () => undefined }
  const next = steadyRows(shown?.key === key ? shown.rows : undefined, loaded)
  if (shown?.key !== key || next.rows !== shown.rows) setShown({ key, rows: next.rows })
  return { ...next, bringIn: () => setShown({ key, rows: loaded }) }
}

function keyOf({ row }: CampaignRow): number {
  return row
}
