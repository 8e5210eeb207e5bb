import { Pencil } from 'lucide-react'
import { currentLanguage, perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import type { User } from './users.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

/** The columns, in the order of the user specification. */
export const userColumns = perLanguage(() => ({ managed: columns(true), readOnly: columns(false) }))

/** The specification shows every user the button, and none of the facts beyond its columns. A language does better. */

function columns(manages: boolean): Column<User>[] {
  const { columns: labels } = words
  const specified = currentLanguage() === undefined
  return [
    {
      key: 'id',
      label: labels.id,
      width: '56px',
      mono: true,
      sorts: true,
      look: 'text-muted',
      cell: ({ id }) => id,
    },
    {
      key: 'name',
      label: labels.name,
      width: 'minmax(124px, 1.2fr)',
      card: 'name',
      sorts: true,
      look: 'font-semibold in-data-[state=disabled]:text-muted card:text-lg card:wrap-anywhere',
      cell: ({ name }) => name,
      whole: ({ name }) => name,
    },
    {
      key: 'email',
      label: labels.email,
      width: 'minmax(142px, 1.5fr)',
      card: 'email',
      sorts: true,
      look: 'card:wrap-anywhere card:text-muted',
      cell: ({ email }) => email ?? text.none,
      whole: ({ email }) => email ?? undefined,
    },
    {
      key: 'role',
      label: labels.role,
      width: '112px',
      card: 'role',
      sorts: true,
      look: 'card:rounded-sm card:bg-off-bg card:px-2 card:py-0.5 card:text-sm card:font-semibold card:text-off',
      cell: ({ role }) => text.roles[role],
    },
    {
      key: 'enabled',
      label: labels.enabled,
      width: '90px',
      card: 'enabled',
      sorts: true,
      look: 'card:justify-self-end',
      cell: enabledCell,
    },
    {
      key: 'company',
      label: labels.company,
      width: 'minmax(98px, 1fr)',
      card: 'company',
      sorts: true,
      look: 'card:text-muted',
      cell: ({ company, companyId }) => company ?? companyId ?? text.none,
      whole: ({ company }) => company,
    },
    ...(specified ? [] : [lastLogin()]),
    ...(manages || specified ? [actions(manages)] : []),
  ]
}

function actions(manages: boolean): Column<User> {
  return {
    key: 'actions',
    label: words.columns.actions,
    width: '106px',
    card: 'actions',
    cell: () => (
      <Button needsServer size="sm" data-opens data-act="edit" disabled={!manages}>
        <Pencil className="size-3.5" aria-hidden="true" />
        {words.edit}
      </Button>
    ),
  }
}

function lastLogin(): Column<User> {
  return {
    key: 'last_login_at',
    label: words.lastLogin,
    width: 'minmax(132px, 0.8fr)',
    sorts: true,
    look: 'text-muted',
    cell: ({ last_login_at, second_factor }) => (
      <>
        {last_login_at ? <Ago at={last_login_at} /> : last_login_at === null ? words.neverIn : text.none}
        {second_factor && <span className="block text-sm">{words.withFactor}</span>}
      </>
    ),
  }
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
