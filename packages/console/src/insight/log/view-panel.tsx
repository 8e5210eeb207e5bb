import { logs } from './text.ts'
import { logView as words } from './view-text.ts'
import type { LogSearch } from './search.ts'
import SavedViews from '#console/ui/saved-view-list.tsx'

const KEYS = Object.keys(logs.columns)
/** It opens the message, so it stays. */
const FIXED = 'id'

/** The columns that are shown, and the views that this browser keeps by name. */
export default function ViewPanel({
  id,
  search,
  shown,
  view,
  onColumns,
}: {
  id: string
  search: LogSearch
  /** The keys of the shown columns. */
  shown: readonly string[]
  /** What the address would have to say for these columns. */
  view: Pick<LogSearch, 'view' | 'columns'>
  /** Undefined means all. */
  onColumns: (columns: string | undefined) => void
}) {
  function show(key: string, on: boolean): void {
    const next = KEYS.filter((one) => one === FIXED || (one === key ? on : shown.includes(one)))
    onColumns(next.length === KEYS.length ? undefined : next.join(','))
  }
  return (
    <section
      id={id}
      aria-label={words.title}
      className="panel grid gap-x-8 gap-y-3 px-3.5 py-3 max-md:max-h-[45dvh] max-md:auto-rows-max max-md:overflow-y-auto md:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]"
    >
      <fieldset className="min-w-0 max-md:hidden">
        <legend className="mb-1.5 font-semibold">{words.columns}</legend>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(150px,1fr))] gap-x-4 text-sm">
          {KEYS.map((key) => (
            <label key={key} className="flex min-h-[30px] items-center gap-2">
              <input
                type="checkbox"
                className="size-[18px]"
                checked={shown.includes(key)}
                disabled={key === FIXED}
                onChange={(event) => show(key, event.target.checked)}
              />
              {logs.columns[key as keyof typeof logs.columns]}
            </label>
          ))}
        </div>
      </fieldset>
      <SavedViews list="log" search={{ ...search, ...view }} />
    </section>
  )
}
