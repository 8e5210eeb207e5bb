import { Pencil } from 'lucide-react'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import type { User } from './users.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

/** The columns, in the order of the user specification. */
export const userColumns = perLanguage(() => ({ managed: columns(true), readOnly: columns(false) }))

function columns(manages: boolean): Column<User>[] {
  const { columns: labels } = words
  return [
    { key: 'id', label: labels.id, width: '72px', mono: true, look: 'text-muted', cell: ({ id }) => id },
    {
      key: 'name',
      label: labels.name,
      width: 'minmax(140px, 1.2fr)',
      card: 'name',
      look: 'font-semibold in-data-[state=disabled]:text-muted card:text-lg card:wrap-anywhere',
      cell: ({ name }) => name,
      whole: ({ name }) => name,
    },
    {
      key: 'email',
      label: labels.email,
      width: 'minmax(180px, 1.5fr)',
      card: 'email',
      look: 'card:wrap-anywhere card:text-muted',
      cell: ({ email }) => email ?? text.none,
      whole: ({ email }) => email ?? undefined,
    },
    {
      key: 'role',
      label: labels.role,
      width: '124px',
      card: 'role',
      look: 'card:rounded-sm card:bg-off-bg card:px-2 card:py-0.5 card:text-sm card:font-semibold card:text-off',
      cell: ({ role }) => text.roles[role],
    },
    {
      key: 'enabled',
      label: labels.enabled,
      width: '92px',
      card: 'enabled',
      look: 'card:justify-self-end',
      cell: enabledCell,
    },
    {
      key: 'company',
      label: labels.company,
      width: 'minmax(110px, 1fr)',
      card: 'company',
      look: 'card:text-muted',
      cell: ({ company, companyId }) => company ?? companyId ?? text.none,
      whole: ({ company }) => company,
    },
    {
      key: 'actions',
      label: labels.actions,
      width: '112px',
      card: 'actions',
      cell: () => (
        <Button size="sm" data-opens data-act="edit" disabled={!manages}>
          <Pencil className="size-3.5" aria-hidden="true" />
          {words.edit}
        </Button>
      ),
    },
  ]
}

function enabledCell({ enabled }: User) {
  return (
    <span className={enabled ? 'text-ok' : 'text-bad'}>
      <MarkIcon
        mark={enabled ? 'check' : 'cross'}
        label={enabled ? words.enabled : words.disabled}
        className="size-4"
      />
    </span>
  )
}
