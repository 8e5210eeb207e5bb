import { replaceEqualDeep, useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffectEvent, useMemo, useRef, useState } from 'react'
import { useOnChange } from '#console/core/live/live-context.ts'
import { throttled } from '#console/core/live/refresh.ts'
import { loadLogs, type LogRow, type LogRows } from './log.ts'
import type { ServerFilter } from './search.ts'

const PAGE = '200'

type Pages = InfiniteData<LogRows, string | undefined>

/**
 * Rows that came after the list was loaded, or have begun to match the filter. `reload`: the list must be loaded again to
 * have them in their places.
 */
type Fresh = { filter: ServerFilter; rows: LogRow[]; more: boolean; reload: boolean }

/**
 * The log in pages, newest first. Changes on the server update the rows in place. New rows wait in `fresh` until
 * `bringIn`, so that nothing moves while the user reads. `inView` returns the range of rows on screen.
 */
export function useLogPages(filter: ServerFilter, inView: () => { first: number; last: number }) {
  const queryClient = useQueryClient()
  const queryKey = ['logs', 'pages', filter]
  const [fresh, setFresh] = useState(() => noneFresh(filter))
  if (fresh.filter !== filter) setFresh(noneFresh(filter))

  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => loadLogs({ ...filter, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    // Reloading all pages would add new rows, so `freshen` below updates the shown ones.
    meta: { refresh: 'own' },
    refetchOnWindowFocus: false,
    gcTime: 0,
  })
  const pages = query.data?.pages
  // Up to 100,000 rows, and a new array would restart their table.
  const rows = useMemo(() => pages?.flatMap((page) => page.rows) ?? [], [pages])

  const poke = useRef<() => void>(undefined)
  const freshen = useEffectEvent(async () => {
    const data = queryClient.getQueryData<Pages>(queryKey)
    if (!data) {
      const loading = query.isFetching
      await query.refetch({ cancelRefetch: false })
      // Rows that came while the first page was loading may not be in it.
      return loading && queryClient.getQueryData(queryKey) ? poke.current?.() : undefined
    }
    const cursors = new Set([undefined, ...cursorsBetween(data, inView())])
    const [head, ...others] = await Promise.all(
      [...cursors].map((cursor) => loadLogs({ ...filter, limit: PAGE, cursor })),
    )
    const now = queryClient.getQueryData<Pages>(queryKey)
    if (!now || !head) return
    const heard = new Map([head, ...others].flatMap((page) => page.rows).map((row) => [row.id, row]))
    const known = new Set(now.pages.flatMap((page) => page.rows).map(({ id }) => id))
    const { oldest, newest } = rangeOf(known)
    const end = now.pages.at(-1)?.next === undefined ? 0 : oldest
    // Below the end are rows that are not loaded yet.
    const news = [...heard.values()].filter(({ id }) => !known.has(id) && id > end)
    // In an empty list no reader can lose their place, so new rows go straight in.
    if (known.size === 0) return void queryClient.setQueryData<Pages>(queryKey, withHead(now, head.rows))
    queryClient.setQueryData<Pages>(queryKey, mergeRows(now, heard))
    // One page may not hold all of them.
    const more = head.next !== undefined && head.rows.every(({ id }) => !known.has(id))
    setFresh({ filter, rows: news, more, reload: more || news.some(({ id }) => id < newest) })
  })
  useOnChange('logs', (gap) => {
    // A load that failed before the first connection shows nothing that could have changed: a person repeats it.
    if (gap === 'start' && query.isError && !pages) return
    poke.current ??= throttled(() => freshen())
    poke.current()
  })

  function bringIn(): void {
    if (fresh.reload) void queryClient.resetQueries({ queryKey })
    else queryClient.setQueryData<Pages>(queryKey, (data) => data && withHead(data, fresh.rows))
    setFresh(noneFresh(filter))
  }

  return { ...query, rows, fresh: { count: fresh.rows.length, more: fresh.more }, bringIn }
}

/** The cursors of the pages that hold the rows on screen. */
export function cursorsBetween(
  data: Pages,
  { first, last }: { first: number; last: number },
): (string | undefined)[] {
  let start = 0
  return data.pages.flatMap((page, n) => {
    const begins = start
    start += page.rows.length
    return begins <= last && start > first ? [data.pageParams[n]] : []
  })
}

function noneFresh(filter: ServerFilter): Fresh {
  return { filter, rows: [], more: false, reload: false }
}

/** The lowest and the highest id. No call takes as many arguments as a long log has rows. */
export function rangeOf(ids: ReadonlySet<number>): { oldest: number; newest: number } {
  let [oldest, newest] = [Infinity, -Infinity]
  for (const id of ids) {
    oldest = Math.min(oldest, id)
    newest = Math.max(newest, id)
  }
  return { oldest, newest }
}

/** Updates rows to their latest version. Unchanged pages and rows stay the same objects. */
export function mergeRows(data: Pages, heard: ReadonlyMap<number, LogRow>): Pages {
  const pages = data.pages.map((page) => {
    const rows = page.rows.map((row) => replaceEqualDeep(row, heard.get(row.id) ?? row))
    return rows.every((row, n) => row === page.rows[n]) ? page : { ...page, rows }
  })
  return pages.every((page, n) => page === data.pages[n]) ? data : { ...data, pages }
}

function withHead(data: Pages, head: readonly LogRow[]): Pages {
  const [first, ...others] = data.pages
  if (!first) return data
  return { ...data, pages: [{ ...first, rows: [...head, ...first.rows] }, ...others] }
}
