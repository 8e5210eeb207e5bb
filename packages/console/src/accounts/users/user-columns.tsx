import { Pencil } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import type { User } from './users.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

/** The columns in the user specification's order. */
export function userColumns({
  manages,
  onEdit,
}: {
  manages: boolean
  onEdit: (id: number) => void
}): Column<User>[] {
  const { columns: labels } = words
  return [
    { key: 'id', label: labels.id, width: '72px', mono: true, cell: ({ id }) => id },
    {
      key: 'name',
      label: labels.name,
      width: 'minmax(140px, 1.2fr)',
      card: 'name',
      cell: ({ name }) => name,
      whole: ({ name }) => name,
    },
    {
      key: 'email',
      label: labels.email,
      width: 'minmax(180px, 1.5fr)',
      card: 'email',
      cell: ({ email }) => email ?? text.none,
      whole: ({ email }) => email ?? undefined,
    },
    { key: 'role', label: labels.role, width: '124px', card: 'role', cell: ({ role }) => role },
    { key: 'enabled', label: labels.enabled, width: '92px', card: 'enabled', cell: enabledCell },
    {
      key: 'company',
      label: labels.company,
      width: 'minmax(110px, 1fr)',
      card: 'company',
      cell: ({ company, companyId }) => company ?? companyId ?? text.none,
      whole: ({ company }) => company,
    },
    {
      key: 'actions',
      label: labels.actions,
      width: '112px',
      card: 'actions',
      cell: ({ id }) => (
        <Button size="sm" data-opens disabled={!manages} onClick={() => onEdit(id)}>
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
