import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { readSession } from '#console/core/session.ts'
import { savedViews as words } from './saved-text.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { useSavedViews } from '#console/ui/saved-views.ts'

const LONGEST_NAME = 60

/** The views of this screen that the browser keeps by name, and a form to add what the address says now. */
export default function SavedViews({
  list,
  search: { open: _, company: __, ...now },
}: {
  /** The name of the list, under which they are kept. */
  list: string
  /** The address; the open row is no part of a view. */
  search: { open?: unknown; company?: unknown }
}) {
  const { views, save, remove } = useSavedViews<typeof now>(`${list} views ${readSession()?.userId ?? ''}`)
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
              to="."
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
        <Field label={words.name} className="grow basis-48 text-sm">
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
