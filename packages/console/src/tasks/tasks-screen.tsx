import { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { getRouteApi } from '@tanstack/react-router'
import { Bookmark } from 'lucide-react'
import { Suspense, useState, type ComponentType } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { usePages } from '#console/core/pages.ts'
import {
  matchesRef,
  refInSearch,
  refOf,
  searchForRef,
  type MessageRef,
} from '#console/messages/messages/message-ref.ts'
import { text } from '#console/core/text.ts'
import { tasks as words } from './text.ts'
import { taskFile } from '#console/tasks/export.ts'
import { taskFilterOf, type TaskSearch } from '#console/tasks/search.ts'
import { TaskFilters } from '#console/tasks/task-filters.tsx'
import { taskColumns } from '#console/tasks/task-columns.tsx'
import { taskStateOf, tasksQuery, type Task } from '#console/tasks/tasks.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Select } from '#console/ui/field.tsx'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { Page } from '#console/ui/page.tsx'
import { openRowRange, RangeWords } from '#console/ui/row-range.ts'
import { SelectButton } from '#console/ui/select-button.tsx'
import { useSelection } from '#console/ui/use-selection.ts'

/** Not needed to read the list, so it does not delay it. */
const CsvButtons = lazyPart(() => import('#console/ui/csv-buttons.tsx'))
const SavedViews = lazyPart(() => import('#console/ui/saved-view-list.tsx'))
const TaskActions = lazyPart(() => import('#console/tasks/task-actions.tsx'))

const route = getRouteApi('/shell/running-tasks')

const NARROWING = ['search', 'state', 'period', 'from', 'to'] as const
const NOTHING: Partial<TaskSearch> = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

type Props = {
  TaskDetails: ComponentType<{ messageRef: MessageRef; task: Task | undefined; onClose: () => void }>
}

export function TasksScreen({ TaskDetails }: Props) {
  const search = route.useSearch()
  const { status = 'all' } = search
  const open = refInSearch(search)
  const navigate = route.useNavigate()
  const change = (next: Partial<TaskSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: next.open === undefined })
  const filter = taskFilterOf(search)
  const key = JSON.stringify(filter)
  const isNarrowed = NARROWING.some((name) => search[name] !== undefined)
  const list = usePages(tasksQuery(filter))
  const { rows, failed } = list
  const [viewsShown, setViewsShown] = useState(false)
  const [range] = useState(openRowRange)
  const count = rows?.length ?? 0
  const selection = useSelection({ all: rows ?? [], shown: rows ?? [], keyOf, nameOf: guidOf })

  return (
    <Page title={words.title}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto px-6 pb-4 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
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
          <TaskFilters search={search} onChange={change} />
          <SelectButton selection={selection} />
          <Button
            square
            aria-label={words.views}
            title={words.views}
            aria-expanded={viewsShown}
            onClick={() => setViewsShown(!viewsShown)}
          >
            <Bookmark className="size-4" aria-hidden="true" />
          </Button>
          <Suspense fallback={<span className="h-[34px] w-[160px] max-md:h-11" />}>
            <CsvButtons source={taskFile(filter)} />
          </Suspense>
          {viewsShown && (
            <Suspense>
              <section aria-label={words.views} className="panel order-last w-full px-3.5 py-3">
                <SavedViews list="task" search={search} />
              </section>
            </Suspense>
          )}
          <output className="text-muted">{rows === undefined && !failed && words.loading}</output>
        </div>
        <ListScreen
          key={key}
          list={list}
          words={{ ...words, list: words.region, kept: '' }}
          keyOf={keyOf}
          selection={selection}
          columns={taskColumns()}
          look="text-sm"
          cards="'to time open' auto 'text text open' auto 'device device open' auto/auto 1fr auto"
          rowLook="data-[state=failed]:[--edge:var(--color-bad-solid)] card:min-h-24"
          dataOf={dataOf}
          tabular="(min-width: 768px)"
          rowHeight={{ table: 37, card: 104 }}
          range={range}
          acts={{ open: (task) => change(searchForRef(refOf(task))) }}
          onCopy={({ guid }) => void copyText(guid, words.copied)}
          empty={
            isNarrowed ? (
              <EmptyList
                said={words.emptyFiltered}
                action={{ label: text.clearFilters, run: () => change(NOTHING) }}
              />
            ) : (
              <Nothing status={status} onAll={() => change({ status: undefined })} />
            )
          }
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
      {selection.on && (
        <Suspense>
          <TaskActions selection={selection} shown={count} isRest={list.hasMore} />
        </Suspense>
      )}
      {open !== undefined && (
        <Suspense>
          <TaskDetails
            messageRef={open}
            task={rows?.find((row) => matchesRef(row, open))}
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

function guidOf({ guid }: Task): string {
  return guid
}

function dataOf(task: Task) {
  return { 'data-state': taskStateOf(task) }
}
