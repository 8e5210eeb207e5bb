import { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { lazyPart } from '#console/core/language.ts'
import { usePages } from '#console/core/pages.ts'
import { matchesRef, refInSearch, searchForRef, refOf } from '#console/messages/messages/message-ref.ts'
import { tasks as words } from './text.ts'
import type { TaskSearch } from '#console/tasks/search.ts'
import { taskColumns } from '#console/tasks/task-columns.tsx'
import { taskStateOf, tasksQuery, type RecordQuery, type Task } from '#console/tasks/tasks.ts'
import { copyText } from '#console/ui/copy.ts'
import { Select } from '#console/ui/field.tsx'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { Page } from '#console/ui/page.tsx'
import { openRowRange, RangeWords } from '#console/ui/row-range.ts'

const TaskDialog = lazyPart(() => import('#console/tasks/task-dialog.tsx'))

const route = getRouteApi('/shell/running-tasks')

export function TasksScreen({ recordQuery }: { recordQuery: RecordQuery }) {
  const search = route.useSearch()
  const { status = 'all' } = search
  const open = refInSearch(search)
  const navigate = route.useNavigate()
  const change = (next: Partial<TaskSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: next.open === undefined })
  const list = usePages(tasksQuery(status))
  const { rows, failed } = list
  const [range] = useState(openRowRange)
  const count = rows?.length ?? 0

  return (
    <Page title={words.title}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto px-6 pb-4 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <div className="flex items-center gap-4">
          <label className="flex items-center gap-2.5 font-semibold">
            {words.filter}
            <Select
              className="min-w-40 font-normal"
              value={status}
              onChange={(event) => change({ status: statusIn(event.target.value), ...searchForRef() })}
            >
              {TaskFilter.options.map((filter) => (
                <option key={filter} value={filter}>
                  {words.filters[filter]}
                </option>
              ))}
            </Select>
          </label>
          <output className="text-muted">{rows === undefined && !failed && words.loading}</output>
        </div>
        <ListScreen
          key={status}
          list={list}
          words={{ ...words, list: words.region, kept: '' }}
          keyOf={keyOf}
          columns={taskColumns()}
          look="text-sm"
          rowLook="data-[state=failed]:[--edge:var(--color-bad-solid)] card:min-h-24 card:[grid-template:'to_time_open'_auto_'text_text_open'_auto_'device_device_open'_auto/auto_1fr_auto]"
          dataOf={dataOf}
          tabular="(min-width: 768px)"
          rowHeight={{ table: 37, card: 104 }}
          range={range}
          acts={{ open: (task) => change(searchForRef(refOf(task))) }}
          onCopy={({ guid }) => void copyText(guid, words.copied)}
          empty={<Nothing status={status} onAll={() => change({ status: undefined })} />}
        />
        {count > 0 && (
          <p className="flex flex-wrap gap-x-4 text-sm text-muted max-md:hidden">
            <span>
              <RangeWords range={range}>
                {({ first, last }) =>
                  words.rows(
                    formatCount(first + 1),
                    formatCount(Math.min(last + 1, count)),
                    formatCount(count),
                  )
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
            messageRef={open}
            task={rows?.find((row) => matchesRef(row, open))}
            recordQuery={recordQuery}
            onClose={() => change(searchForRef())}
          />
        </Suspense>
      )}
    </Page>
  )
}

function Nothing({ status, onAll }: { status: TaskFilter; onAll: () => void }) {
  if (status !== 'all') return <EmptyList said={words.empty} action={{ label: words.showAll, run: onAll }} />
  return (
    <>
      <p>{words.empty}</p>
      <p className="mt-2 text-sm">{words.emptyHint}</p>
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

function dataOf(task: Task) {
  return { 'data-state': taskStateOf(task) }
}
