import { ListFilter } from 'lucide-react'
import { Suspense, useId, useState, type ReactNode } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { logs as words } from './text.ts'
import { logFilters, type LogSearch } from './search.ts'
import { Button } from '#console/ui/button.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useSearch } from '#console/ui/use-search.ts'

const FilterChips = lazyPart(() => import('./filter-chips.tsx'))
const FilterPanel = lazyPart(() => import('./filter-panel.tsx'))

/** The search and filters, all kept in the address. `children` come at the end of their line. */
export function LogFilters({
  search,
  seen,
  onChange,
  children,
}: {
  search: LogSearch
  /** The failure codes in the list. */
  seen: readonly string[]
  onChange: (next: Partial<LogSearch>) => void
  children: ReactNode
}) {
  const panelId = useId()
  const [shown, setShown] = useState(false)
  const { field, clear: clearSearch } = useSearch(search.search, (value) =>
    onChange({ search: value?.trim() || undefined }),
  )
  const active = logFilters.filter((name) => search[name] !== undefined)

  function clear(): void {
    clearSearch()
    onChange({ search: undefined, ...Object.fromEntries(logFilters.map((name) => [name, undefined])) })
  }

  return (
    <div className="mb-2.5 flex flex-col gap-2.5 max-md:mb-2 max-md:gap-2 max-md:px-3 max-md:pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          {...field}
          placeholder={words.search}
          maxLength={200}
          className="w-[270px] max-md:w-auto max-md:min-w-36 max-md:flex-1"
        />
        <Button
          aria-expanded={shown}
          aria-controls={shown ? panelId : undefined}
          onClick={() => setShown(!shown)}
        >
          <ListFilter className="size-4" aria-hidden="true" />
          {words.filters}
        </Button>
        {!shown && active.length > 0 && (
          <Suspense>
            <FilterChips names={active} search={search} onChange={onChange} />
          </Suspense>
        )}
        {(active.length > 0 || search.search !== undefined) && (
          <Button tone="ghost" onClick={clear}>
            {words.clear}
          </Button>
        )}
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:ml-0">{children}</div>
      </div>
      {shown && (
        <Suspense>
          <FilterPanel id={panelId} search={search} seen={seen} onChange={onChange} />
        </Suspense>
      )}
    </div>
  )
}
