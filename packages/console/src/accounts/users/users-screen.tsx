import { holds } from '@sdd/contract/core/roles.ts'
import { getRouteApi } from '@tanstack/react-router'
import { UserCheck, UserPlus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useRows } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import type { UserSearch, UserSortKey } from './search.ts'
import { userColumns } from './user-columns.tsx'
import { UserFilters } from './user-filters.tsx'
import type { MadeByUserComponent } from './user-form.tsx'
import { usersQuery, type User } from './users.ts'
import { viewUsers } from './view.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'
import { useSearch } from '#console/ui/use-search.ts'

const EnableDialog = lazyPart(() => import('./enable-dialog.tsx'))
const UserDialog = lazyPart(() => import('./user-dialog.tsx'))

const route = getRouteApi('/shell/users')

/** The last save. */
type Saved = { enabled: number } | { status: string | undefined; created: boolean }

export function UsersScreen({ MadeByUser }: { MadeByUser: MadeByUserComponent }) {
  const { search, edit, role: shownRole, company, sort = 'id', desc } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useRows(usersQuery)
  const users = list.rows
  const wide = useMedia(WIDE_SCREEN)
  const role = useRole()
  const manages = holds(role, 'users:manage')
  const enables = role === 'superadmin'
  const [saved, setSaved] = useState<Saved>()
  const change = (next: Partial<UserSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: next.edit === undefined })
  const { draft, field, clear } = useSearch(search, (value) => change({ search: value }))
  const open = (who: string) => {
    setSaved(undefined)
    change({ edit: who })
  }
  const close = () => change({ edit: undefined })
  const closeSaved = (what: Saved) => {
    setSaved(what)
    close()
  }
  const view = { search: draft, role: shownRole, company, sort, desc: desc === 'true' }
  const filtered = draft !== '' || shownRole !== undefined || company !== undefined
  const showAll = () => {
    clear()
    change({ search: undefined, role: undefined, company: undefined })
  }
  const addButton = (
    <Button needsServer tone="primary" disabled={!manages} onClick={() => open('new')}>
      <UserPlus className="size-4" aria-hidden="true" />
      {words.add}
    </Button>
  )

  return (
    <Page title={words.title} beside={wide && <span className="ml-auto">{addButton}</span>}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <ListScreen
          list={list}
          shown={users && viewUsers(users, view)}
          words={words}
          bar={
            <>
              {saved && (
                <Notice tone="ok" retry={{ label: text.close, run: () => setSaved(undefined) }}>
                  {'enabled' in saved ? words.enabledSeveral(saved.enabled) : words.saved(saved)}
                </Notice>
              )}
              <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-md:gap-x-2">
                <SearchField
                  {...field}
                  placeholder={words.search}
                  className="w-[300px] max-md:w-auto max-md:min-w-36 max-md:flex-1"
                />
                <UserFilters users={users ?? []} role={shownRole} company={company} onChange={change} />
                {!wide && addButton}
                {enables && users?.some(({ enabled }) => !enabled) && (
                  <Button needsServer onClick={() => open('enable')}>
                    <UserCheck className="size-4" aria-hidden="true" />
                    {words.enableSeveral}
                  </Button>
                )}
                {!manages && <p className="text-sm text-muted">{words.readOnly}</p>}
              </div>
            </>
          }
          keyOf={({ id }) => id}
          columns={userColumns()[manages ? 'managed' : 'readOnly']}
          cards="'name name enabled' auto 'email email email' auto 'role company actions' auto/auto 1fr auto"
          rowLook="data-[state=disabled]:[--edge:var(--color-off-solid)] card:pb-2"
          dataOf={dataOf}
          tabular="(min-width: 1008px)"
          rowHeight={{ table: 48, card: 118 }}
          sort={{
            by: sort,
            desc: desc === 'true',
            onSort: (key) =>
              change({
                sort: key as UserSortKey,
                desc: sort === key && desc === undefined ? 'true' : undefined,
              }),
          }}
          acts={{ edit: ({ id }) => open(String(id)) }}
          onCopy={({ email, name }) => void copyText(email ?? name, words.copied(email ?? name))}
          empty={
            <EmptyList said={words.empty} action={filtered && { label: text.clearFilters, run: showAll }} />
          }
        />
      </div>
      <Suspense>
        {edit === 'enable' && enables && users && (
          <EnableDialog users={users} onClose={close} onEnabled={(enabled) => closeSaved({ enabled })} />
        )}
        {edit && edit !== 'enable' && manages && (users || edit === 'new') && (
          <UserDialog
            key={edit}
            users={users ?? []}
            id={edit === 'new' ? undefined : Number(edit)}
            MadeByUser={MadeByUser}
            onClose={close}
            onSaved={(status) => closeSaved({ status, created: edit === 'new' })}
          />
        )}
      </Suspense>
    </Page>
  )
}

function dataOf({ enabled }: User) {
  return { 'data-state': enabled ? undefined : 'disabled' }
}
