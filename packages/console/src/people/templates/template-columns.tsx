import type { Template } from '@sdd/contract/people/templates.ts'
import { perLanguage } from '#console/core/language.ts'
import { templates as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'

const width = 'minmax(150px, 0.6fr)'

/** For a role that may look only. */
export const nameColumn = perLanguage((): Column<Template>[] => [
  {
    key: 'name',
    label: words.columns.name,
    width,
    card: 'name',
    look: 'font-semibold card:text-md',
    cell: ({ name }) => name,
    whole: ({ name }) => name,
  },
])

/** The name opens the form. */
export const nameButtonColumn = perLanguage((): Column<Template>[] => [
  {
    key: 'name',
    label: words.columns.name,
    width,
    card: 'name',
    look: 'font-semibold card:text-md',
    cell: ({ name }) => (
      <button
        type="button"
        data-act="open"
        data-opens
        aria-label={words.open(name)}
        className="max-w-full truncate hover:underline max-md:min-h-11"
      >
        {name}
      </button>
    ),
    whole: ({ name }) => name,
  },
])

export const textColumn = perLanguage((): Column<Template>[] => [
  {
    key: 'text',
    label: words.columns.text,
    width: 'minmax(240px, 2fr)',
    card: 'text',
    look: 'text-muted card:wrap-anywhere',
    dir: 'auto',
    cell: ({ text }) => text,
    whole: ({ text }) => text,
  },
])

export const removeColumn = perLanguage((): Column<Template>[] => [
  {
    key: 'actions',
    label: words.columns.actions,
    width: '110px',
    card: 'actions',
    look: 'overflow-visible',
    cell: ({ name }) => (
      <Button needsServer size="sm" data-opens data-act="remove" aria-label={words.removeNamed(name)}>
        {words.remove}
      </Button>
    ),
  },
])
