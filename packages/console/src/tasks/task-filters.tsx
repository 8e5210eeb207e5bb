import { ListFilter } from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { tasks as words } from './text.ts'
import type { TaskSearch } from '#console/tasks/search.ts'
import { Button } from '#console/ui/button.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const FilterPanel = lazyPart(() => import('#console/tasks/filter-panel.tsx'))

/** The search and the filters beyond the specified one. They are kept in the address. */
export function TaskFilters({
  search,
  onChange,
}: {
  search: TaskSearch
  onChange: (next: Partial<TaskSearch>) => void
}) {
  const panelId = useId()
  const { state, period, from, to } = search
  const active = [state, period, from, to].filter((value) => value !== undefined).length
  const [shown, setShown] = useState(active > 0)
  const { field } = useSearch(search.search, (value) => onChange({ search: value?.trim() || undefined }))
  return (
    <>
      <SearchField
        {...field}
        placeholder={words.search}
        maxLength={200}
        className="w-[240px] max-md:w-auto max-md:min-w-48 max-md:flex-1"
      />
      <Button
        aria-expanded={shown}
        aria-controls={shown ? panelId : undefined}
        onClick={() => setShown(!shown)}
      >
        <ListFilter className="size-4" aria-hidden="true" />
        {words.moreFilters}
        {active > 0 && ` (${active})`}
      </Button>
      {shown && (
        <Suspense>
          <FilterPanel id={panelId} search={search} isActive={active > 0} onChange={onChange} />
        </Suspense>
      )}
    </>
  )
}
