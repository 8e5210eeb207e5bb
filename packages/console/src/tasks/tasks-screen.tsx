import { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { text } from '#console/core/text.ts'
import { isWhich, openIn, searchFor, whichOf } from '#console/messages/messages/which.ts'
import { tasks as words } from './text.ts'
import type { TaskSearch } from '#console/tasks/search.ts'
import { taskColumns } from '#console/tasks/task-columns.tsx'
import { stateOf, tasksQuery, type RecordQuery, type Task } from '#console/tasks/tasks.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Select } from '#console/ui/field.tsx'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { figure } from '#console/ui/numbers.ts'
import { Page } from '#console/ui/page.tsx'
import { openRowRange, RangeWords } from '#console/ui/row-range.ts'
import '#console/tasks/tasks.css'

const TaskDialog = lazy(() => import('#console/tasks/task-dialog.tsx'))

const route = getRouteApi('/shell/running-tasks')

export function TasksScreen({ recordQuery }: { recordQuery: RecordQuery }) {
  const search = route.useSearch()
  const { status = 'all' } = search
  const open = openIn(search)
  const navigate = route.useNavigate()
  const change = useCallback(
    (next: Partial<TaskSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...next }), replace: next.open === undefined }),
    [navigate],
  )
  const { data, isError, isFetchNextPageError, isFetching, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(tasksQuery(status))
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows), [data])
  const columns = useMemo(() => taskColumns((task) => change(searchFor(whichOf(task)))), [change])
  const [range] = useState(openRowRange)
  const count = rows?.length ?? 0
  const more = useCallback(
    () => void (!isFetching && !isError && fetchNextPage()),
    [isFetching, isError, fetchNextPage],
  )

  return (
    <Page title={words.title}>
      <div className="relative flex min-h-0 flex-1 flex-col overflow-y-auto px-6 pb-4 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <div className="mb-2.5 flex items-center gap-4">
          <label className="flex items-center gap-2.5 font-semibold">
            {words.filter}
            <Select
              className="min-w-40 font-normal"
              value={status}
              onChange={(event) => change({ status: statusIn(event.target.value), ...searchFor() })}
            >
              {TaskFilter.options.map((filter) => (
                <option key={filter} value={filter}>
                  {words.filters[filter]}
                </option>
              ))}
            </Select>
          </label>
          <output className="text-muted">{rows === undefined && !isError && words.loading}</output>
        </div>
        {isError && (
          <Notice
            tone="bad"
            className="mb-3"
            retry={{
              label: text.retry,
              run: () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
            }}
          >
            {isFetchNextPageError ? words.moreFailed : words.loadFailed}
          </Notice>
        )}
        {(rows || !isError) && (
          <ListTable
            key={status}
            label={words.title}
            region={words.region}
            rows={rows}
            keyOf={keyOf}
            columns={columns}
            className="task-table"
            stateOf={stateOf}
            tabular="(min-width: 768px)"
            rowHeight={{ table: 37, card: 104 }}
            hasMore={hasNextPage}
            onCopy={({ guid }) => void copyText(guid, words.copied)}
            onMore={more}
            range={range}
          >
            {rows?.length === 0 && <Nothing status={status} onAll={() => change({ status: undefined })} />}
          </ListTable>
        )}
        {count > 0 && (
          <p className="flex flex-wrap gap-x-4 pt-2.5 text-sm text-muted max-md:hidden">
            <span>
              <RangeWords range={range}>
                {({ first, last }) =>
                  words.rows(figure(first + 1), figure(Math.min(last + 1, count)), figure(count))
                }
              </RangeWords>
            </span>
            <span>{words.hints}</span>
          </p>
        )}
      </div>
      {open !== undefined && (
        <Suspense>
          <TaskDialog
            which={open}
            task={rows?.find((row) => isWhich(row, open))}
            recordQuery={recordQuery}
            onClose={() => change(searchFor())}
          />
        </Suspense>
      )}
    </Page>
  )
}

function Nothing({ status, onAll }: { status: TaskFilter; onAll: () => void }) {
  return (
    <>
      <p>{words.empty}</p>
      {status === 'all' ? (
        <p className="mt-2 text-sm">{words.emptyHint}</p>
      ) : (
        <Button className="mt-3" onClick={onAll}>
          {words.showAll}
        </Button>
      )}
    </>
  )
}

function statusIn(value: string): TaskSearch['status'] {
  const filter = TaskFilter.parse(value)
  return filter === 'all' ? undefined : filter
}

function keyOf({ guid, company_id }: Task): string {
  return company_id === undefined ? guid : `${company_id} ${guid}`
}
