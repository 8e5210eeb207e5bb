import { getRouteApi } from '@tanstack/react-router'
import { ArrowUp, Bookmark } from 'lucide-react'
import { Suspense, useId, useMemo, useState } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { logs as words } from './text.ts'
import { matchesRef, refInSearch, searchForRef, refOf } from '#console/messages/messages/message-ref.ts'
import { columnsNamed, columnsOf } from './log-columns.tsx'
import { logFile } from './export.ts'
import { LogFilters } from './log-filters.tsx'
import { messageStateOf, type LogRow } from './log.ts'
import { returnPaneFocus, tabBetweenRowAndDetails } from './pane-focus.ts'
import { filterOf, logFilters, logViews, type LogSearch } from './search.ts'
import { useLogPages } from './use-log-pages.ts'
import { useTotal } from './use-total.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { DensityButton, type Density } from '#console/ui/density.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { EmptyList } from '#console/ui/list-screen.tsx'
import { ScrolledList } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { Page } from '#console/ui/page.tsx'
import { usePreference } from '#console/ui/preference.ts'
import { openRowRange, RangeWords } from '#console/ui/row-range.ts'
import { Segmented } from '#console/ui/segmented.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'

/** Not needed to read the list, so it does not delay it. */
const CsvButtons = lazyPart(() => import('#console/ui/csv-buttons.tsx'))
const ViewPanel = lazyPart(() => import('./view-panel.tsx'))
const LogPane = lazyPart(() => import('./log-pane.tsx'))

const route = getRouteApi('/shell/logs')

/** The first is shown until the user chooses. */
const narrowViews = ['delivery', 'all', 'times', 'errors'] as const

/** Row heights in px. */
const HEIGHTS = { compact: 33, comfortable: 43 } as const

/** The rows whose failure codes the filter offers. */
const NEWEST = 1_000

export function LogsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia(WIDE_SCREEN)
  // All 18 columns are the specification's. A chosen language begins with those that a narrow window can show.
  const isNarrow = !useMedia('(min-width: 1600px)')
  const firstViews = useLanguage() && isNarrow ? narrowViews : logViews
  const [keptView, keepView] = usePreference('logs-columns', firstViews)
  const [density, setDensity] = usePreference<Density>('logs-density', ['compact', 'comfortable'])
  const view = search.view ?? keptView
  // State, not a ref: if rows are already loaded, the table mounts before its scroller.
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const [range] = useState(openRowRange)
  const key = JSON.stringify(filterOf(search))
  // A new object would restart the pages.
  const filter = useMemo(() => JSON.parse(key) as ReturnType<typeof filterOf>, [key])
  const {
    rows,
    fresh,
    bringIn,
    isPending,
    isError,
    isFetching,
    isFetchNextPageError,
    hasNextPage,
    ...pages
  } = useLogPages(filter, range.get)
  const total = useTotal(filter, rows.length, hasNextPage)
  const own = wide ? search.columns : undefined
  const columns = own ? columnsNamed(own) : columnsOf()[wide ? view : 'all']
  const keys = columns.map(({ key }) => key)
  const shownSet = !own ? view : keys.length === columnsOf().all.length ? 'all' : undefined
  const viewId = useId()
  const [viewShown, setViewShown] = useState(false)
  const change = (next: Partial<LogSearch>) =>
    void navigate({
      search: (now) => ({ ...now, ...next }),
      // Back closes the message that was opened, and not each one that was read.
      replace: next.open === undefined || search.open !== undefined,
    })
  const close = () => {
    returnPaneFocus(scroller)
    change(searchForRef())
  }
  const { fetchNextPage } = pages
  useKeys({ Escape: search.open === undefined ? undefined : close })

  const filtered = search.search !== undefined || logFilters.some((name) => search[name] !== undefined)
  const clear = () =>
    change({ search: undefined, ...Object.fromEntries(logFilters.map((name) => [name, undefined])) })
  const messageRef = refInSearch(search)
  const openRow = messageRef && rows.find((row) => matchesRef(row, messageRef))

  return (
    <Page
      title={words.title}
      fresh={fresh.count}
      beside={
        <>
          <output className="sr-only">{fresh.count > 0 && words.freshSaid}</output>
          {fresh.count > 0 && (
            <button
              type="button"
              className="inline-flex h-7 flex-none items-center gap-[5px] rounded-full bg-accent px-3 text-sm font-bold text-on-accent max-md:fixed max-md:bottom-4 max-md:left-1/2 max-md:z-10 max-md:h-11 max-md:-translate-x-1/2 max-md:[box-shadow:0_6px_20px_#0006]"
              onClick={() => {
                bringIn()
                scroller?.scrollTo({ top: 0 })
              }}
            >
              <ArrowUp className="size-4" aria-hidden="true" />
              {words.fresh(fresh.count, fresh.more)}
            </button>
          )}
        </>
      }
    >
      <div className="flex min-h-0 flex-1 flex-col px-6 pb-4 max-md:px-0 max-md:pb-0">
        <LogFilters search={search} seen={codesIn(rows)} onChange={change}>
          {wide && (
            <Segmented
              label={words.viewsLabel}
              choices={logViews}
              labels={words.views}
              pressed={shownSet}
              onPress={(other) => {
                keepView(other)
                change({ view: other === 'all' ? undefined : other, columns: undefined })
              }}
            />
          )}
          {wide && <DensityButton density={density} onDensity={setDensity} />}
          <Button
            square
            aria-label={words.viewOptions}
            title={words.viewOptions}
            aria-expanded={viewShown}
            aria-controls={viewShown ? viewId : undefined}
            onClick={() => setViewShown(!viewShown)}
          >
            <Bookmark className="size-4" aria-hidden="true" />
          </Button>
          <Suspense fallback={<span className="h-[34px] w-[160px] max-md:h-11" />}>
            <CsvButtons source={logFile(filter)} />
          </Suspense>
        </LogFilters>
        {viewShown && (
          <Suspense>
            <div className="mb-2.5 max-md:mx-3">
              <ViewPanel
                id={viewId}
                search={search}
                shown={keys}
                // Without it, a view would have the set that this browser shows at that time.
                view={own ? {} : view === 'all' ? { columns: keys.join(',') } : { view }}
                onColumns={(columns) => {
                  if (!columns) keepView('all')
                  change({ columns, view: undefined })
                }}
              />
            </div>
          </Suspense>
        )}
        {(isError || isFetchNextPageError) && (
          <Notice
            tone="bad"
            className="mb-3 max-md:mx-3"
            retry={{
              label: text.retry,
              run: () => void (rows.length > 0 ? fetchNextPage() : pages.refetch()),
            }}
          >
            {rows.length > 0 ? words.moreFailed : words.loadFailed}
          </Notice>
        )}
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- moves the focus only */}
        <div className="flex min-h-0 flex-1 gap-3" onKeyDown={tabBetweenRowAndDetails}>
          <section
            ref={setScroller}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows scrolling by keyboard
            tabIndex={0}
            aria-label={words.region}
            className="@container panel relative max-h-full min-w-0 flex-1 self-start overflow-auto max-md:rounded-none max-md:border-x-0 max-md:border-b-0"
          >
            <ScrolledList
              label={words.table}
              rows={isPending ? undefined : rows}
              keyOf={idOf}
              columns={columns}
              look="text-sm"
              cards="'id to to time' auto 'id message message message' auto 'id device error error' auto/14px auto 1fr auto"
              rowLook="cursor-pointer data-blocked:[--edge:var(--color-bad-solid)] data-blocked:[--row:var(--color-bad-bg)] [&[aria-current]]:[--edge:var(--color-info-solid)] [&[aria-current]]:[--row:var(--color-info-bg)] card:min-h-[84px]"
              dataOf={dataOf}
              tabular={WIDE_SCREEN}
              rowHeight={{ table: HEIGHTS[density], card: 85 }}
              lines
              skeletons={wide ? 12 : 6}
              hasMore={hasNextPage}
              onMore={() => void (!isFetching && !isFetchNextPageError && fetchNextPage())}
              range={range}
              isCurrent={messageRef && ((row) => matchesRef(row, messageRef))}
              onRow={(row) => change(searchForRef(refOf(row)))}
              onWalk={messageRef && ((row) => change(searchForRef(refOf(row))))}
              onCopy={({ guid }) => void copyText(guid, words.copied)}
              scroller={scroller}
            >
              {isPending ? (
                <output>{words.loading}</output>
              ) : (
                rows.length === 0 &&
                !isError && (
                  <EmptyList
                    said={filtered ? words.emptyFiltered : words.empty}
                    action={filtered && { label: text.clearFilters, run: clear }}
                  />
                )
              )}
            </ScrolledList>
          </section>
          {messageRef !== undefined && (
            <Suspense>
              <LogPane messageRef={messageRef} row={openRow} modal={!wide} onClose={close} />
            </Suspense>
          )}
        </div>
        {wide && (
          <p className="flex flex-wrap gap-x-4 pt-2.5 text-sm text-muted">
            {rows.length > 0 && (
              <span>
                <RangeWords range={range}>
                  {({ first, last }) => {
                    const [from, to] = [first + 1, Math.min(last + 1, rows.length)].map(formatCount)
                    return total
                      ? words.rowsOf(from!, to!, formatCount(total.count), !total.complete)
                      : words.rows(from!, to!, formatCount(rows.length))
                  }}
                </RangeWords>
              </span>
            )}
            <span>{words.hints}</span>
            <span className="ml-auto">{words.columnCount(columns.length)}</span>
          </p>
        )}
      </div>
    </Page>
  )
}

/** The failure codes of the newest rows. */
function codesIn(rows: readonly LogRow[]): string[] {
  return [...new Set(rows.slice(0, NEWEST).flatMap(({ error }) => error || []))].sort()
}

function idOf({ id }: LogRow): number {
  return id
}

function dataOf(row: LogRow) {
  return { 'data-state': messageStateOf(row), 'data-blocked': row.error_block ? 'true' : undefined }
}
