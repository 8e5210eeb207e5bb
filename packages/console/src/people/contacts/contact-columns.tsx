import type { Contact } from '@sdd/contract/people/contacts.ts'
import { perLanguage } from '#console/core/language.ts'
import { formats } from '#console/core/formats.ts'
import { text } from '#console/core/text.ts'
import { contacts as words } from './text.ts'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { dayTime } from '#console/ui/time.ts'

export const firstContactColumns = perLanguage((): Column<Contact>[] => [
  {
    key: 'number',
    label: words.columns.number,
    width: '150px',
    card: 'number',
    mono: true,
    look: 'font-semibold card:text-md',
    cell: ({ number }) => (
      <button
        type="button"
        data-act="open"
        data-opens
        aria-label={words.open(number)}
        className="max-w-full truncate hover:underline max-md:min-h-11"
      >
        {number}
      </button>
    ),
  },
  {
    key: 'name',
    label: words.columns.name,
    width: 'minmax(130px, 1.2fr)',
    card: 'name',
    look: 'card:wrap-anywhere',
    cell: nameOf,
    whole: nameOf,
  },
])

export const lastContactColumns = perLanguage((): Column<Contact>[] => [
  {
    key: 'lists',
    label: words.columns.lists,
    width: 'minmax(120px, 1fr)',
    card: 'lists',
    look: 'text-muted card:wrap-anywhere',
    cell: listsOf,
    whole: listsOf,
  },
  {
    key: 'consent',
    label: words.columns.consent,
    width: 'minmax(188px, 1fr)',
    card: 'consent',
    look: 'card:text-sm',
    cell: (contact) => <ConsentState {...contact} />,
    whole: ({ consent }) => consent?.how,
  },
  {
    key: 'updated_at',
    label: words.columns.updated,
    width: '150px',
    look: 'text-muted',
    cell: ({ updated_at }) => <time dateTime={updated_at}>{dayTime(updated_at)}</time>,
  },
])

/** Whether marketing may be sent: opted out wins over any consent. */
function ConsentState({ consent, opted_out }: Contact) {
  if (opted_out)
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-bad">
        <MarkIcon mark="cross" />
        {words.optedOut}
      </span>
    )
  if (!consent) return <span className="text-muted">{words.notGiven}</span>
  return (
    <span className="inline-flex items-center gap-1.5">
      <MarkIcon mark="check" className="size-3 text-ok" />
      {words.given}
      <span className="text-muted">{words.givenSince(formats.dayOfYear(new Date(consent.given_at)))}</span>
    </span>
  )
}

function nameOf({ name }: Contact): string {
  return name ?? text.none
}

function listsOf({ lists }: Contact): string {
  return lists.length === 0 ? text.none : lists.join(', ')
}
