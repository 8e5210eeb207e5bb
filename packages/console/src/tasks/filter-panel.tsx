import { text } from '#console/core/text.ts'
import { tasks as words } from './text.ts'
import { outcomeStates, type TaskSearch } from '#console/tasks/search.ts'
import { taskStateMarks } from '#console/tasks/tasks.ts'
import { Button } from '#console/ui/button.tsx'
import { PeriodFilter } from '#console/ui/period-filter.tsx'
import { StateChecks } from '#console/ui/state-checks.tsx'

const NOTHING = { state: undefined, period: undefined, from: undefined, to: undefined }

/** The filters of tasks beyond the specified one. */
export default function FilterPanel({
  id,
  search: { state, period, from, to },
  isActive,
  onChange,
}: {
  id: string
  search: TaskSearch
  isActive: boolean
  onChange: (next: Partial<TaskSearch>) => void
}) {
  return (
    <div id={id} className="panel order-last flex w-full flex-wrap items-end gap-x-5 gap-y-3 px-3.5 py-3">
      <StateChecks
        legend={words.outcome}
        states={outcomeStates}
        labels={words.states}
        marks={taskStateMarks}
        chosen={state}
        onChange={(next) => onChange({ state: next })}
      />
      <PeriodFilter period={period} from={from} to={to} onChange={onChange} />
      {isActive && (
        <Button tone="ghost" onClick={() => onChange(NOTHING)}>
          {text.clearFilters}
        </Button>
      )}
    </div>
  )
}
