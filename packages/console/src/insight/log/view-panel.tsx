import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { readSession } from '#console/core/session.ts'
import { logs } from './text.ts'
import { logView as words } from './view-text.ts'
import type { LogSearch } from './search.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { useSavedViews } from '#console/ui/saved-views.ts'

const KEYS = Object.keys(logs.columns)
/** It opens the message, so it stays. */
const FIXED = 'id'
const LONGEST_NAME = 60

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
      <SavedViews search={{ ...search, ...view }} />
    </section>
  )
}

function SavedViews({ search: { open: _, company: __, ...now } }: { search: LogSearch }) {
  const { views, save, remove } = useSavedViews<typeof now>(`log views ${readSession()?.userId ?? ''}`)
  const [name, setName] = useState('')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h2 className="font-semibold">{words.saved}</h2>
      {views.length === 0 && <p className="text-sm text-muted">{words.none}</p>}
      <ul className="flex flex-wrap gap-2">
        {views.map((view) => (
          <li
            key={view.name}
            className="inline-flex h-[34px] max-w-full items-center rounded-sm border border-line max-md:h-11"
          >
            <Link
              to="/logs"
              search={view.search}
              className="truncate px-2.5 text-sm font-medium text-link underline-offset-3 hover:underline max-md:leading-[44px]"
            >
              {view.name}
            </Link>
            <button
              type="button"
              aria-label={words.remove(view.name)}
              onClick={() => remove(view.name)}
              className="grid h-full w-7 flex-none place-items-center text-muted hover:text-ink max-md:w-11"
            >
              <X className="size-3.5" aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          save(name.trim(), now)
          setName('')
        }}
      >
        <Field label={words.name} className="flex-1 text-sm">
          {(ids) => (
            <TextInput
              {...ids}
              value={name}
              maxLength={LONGEST_NAME}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={name.trim() === ''}>
          {words.save}
        </Button>
      </form>
    </div>
  )
}
