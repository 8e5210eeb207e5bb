import { textOf } from '@sdd/contract/core/client.ts'
import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { rowsOf } from '#console/core/api.ts'

type Page<Row> = { rows: Row[]; next: string | undefined }
type Load<Row> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>

/** Reads a page of a list, under the list's name. */
export function parsePage<Row>(body: unknown, name: string): Page<Row> {
  return { rows: rowsOf<Row>(body, name), next: textOf(body, 'next_cursor') }
}

/** A paginated list. While another selection loads, the previous rows stay. */
export function pagesQuery<Row>(queryKey: readonly [noun: string, ...selection: unknown[]], load: Load<Row>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Row>) => page.next,
    placeholderData: keepPreviousData,
  })
}

/**
 * The rows of the loaded pages, and how to load more. `failed` says whether all rows or the rest are missing. `previous`:
 * the rows are those of the previous selection, as the new one loads.
 */
export function usePages<Row>(query: ReturnType<typeof pagesQuery<Row>>) {
  const {
    data,
    isPlaceholderData,
    isError,
    isFetchNextPageError,
    isFetching,
    hasNextPage,
    fetchNextPage,
    refetch,
  } = useInfiniteQuery({ ...query, select: rowsIn<Row> })
  return {
    rows: data,
    previous: isPlaceholderData,
    failed: isFetchNextPageError ? ('rest' as const) : isError ? ('all' as const) : undefined,
    hasMore: hasNextPage,
    more: () => void (!isFetching && !isError && fetchNextPage()),
    retry: () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
  }
}

/** The rows of a list without pages. */
export function useRows<Row>(query: UseQueryOptions<Row[], Error, Row[], string[]>) {
  const { data, isError, refetch } = useQuery(query)
  return { rows: data, failed: isError ? ('all' as const) : undefined, retry: () => void refetch() }
}

function rowsIn<Row>({ pages }: InfiniteData<Page<Row>>): Row[] {
  return pages.flatMap((page) => page.rows)
}
