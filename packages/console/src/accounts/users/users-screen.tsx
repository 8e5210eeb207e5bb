import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { UserCheck, UserPlus } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import type { UserSearch } from './search.ts'
import { userColumns } from './user-columns.tsx'
import type { MadeByUser } from './user-form.tsx'
import { usersQuery, type User } from './users.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { fold } from '#console/ui/fold.ts'
import { useKeys } from '#console/ui/keys.ts'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useDraft } from '#console/ui/use-draft.ts'
import { useMedia, WIDE } from '#console/ui/use-media.ts'
import './users.css'

const EnableDialog = lazy(() => import('./enable-dialog.tsx'))
const UserDialog = lazy(() => import('./user-dialog.tsx'))

const route = getRouteApi('/shell/users')

export function UsersScreen({ MadeByUser }: { MadeByUser: MadeByUser }) {
  const { search = '', edit } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: users, isError, refetch } = useQuery(usersQuery)
  const wide = useMedia(WIDE)
  const role = useRole()
  const manages = holds(role, 'users:manage')
  const enables = role === 'superadmin'
  const [said, setSaid] = useState<string>()
  const searchInput = useRef<HTMLInputElement>(null)
  const change = useCallback(
    (next: Partial<UserSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...next }), replace: next.edit === undefined }),
    [navigate],
  )
  const [draft, setDraft] = useDraft(search, (value) => change({ search: value || undefined }), 250)
  const shown = useMemo(() => users && named(users, draft), [users, draft])
  const open = useCallback(
    (who: string) => {
      setSaid(undefined)
      change({ edit: who })
    },
    [change],
  )
  const close = () => change({ edit: undefined })
  const closeSaying = (status: string) => {
    setSaid(status)
    close()
  }
  const columns = useMemo(() => userColumns({ manages, onEdit: (id) => open(String(id)) }), [manages, open])
  useKeys({ '/': () => searchInput.current?.focus() })
  const addButton = (
    <Button tone="primary" disabled={!manages} onClick={() => open('new')}>
      <UserPlus className="size-4" aria-hidden="true" />
      {words.add}
    </Button>
  )

  return (
    <Page title={words.title} beside={wide && <span className="ml-auto">{addButton}</span>}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:pt-3 max-md:pb-3">
        {isError && (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.loadFailed} {users && words.kept}
          </Notice>
        )}
        {said && (
          <Notice tone="ok" retry={{ label: text.close, run: () => setSaid(undefined) }}>
            {said}
          </Notice>
        )}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-md:gap-x-2">
          <SearchField
            ref={searchInput}
            placeholder={words.search}
            value={draft}
            onValue={setDraft}
            className="w-[300px] max-md:w-auto max-md:min-w-36 max-md:flex-1"
          />
          {!wide && addButton}
          {enables && users?.some(({ enabled }) => !enabled) && (
            <Button onClick={() => open('enable')}>
              <UserCheck className="size-4" aria-hidden="true" />
              {words.enableSeveral}
            </Button>
          )}
          {!manages && <p className="text-sm text-muted">{words.readOnly}</p>}
        </div>
        {(users || !isError) && (
          <ListTable
            label={words.title}
            region={words.list}
            rows={shown}
            keyOf={keyOf}
            columns={columns}
            className="user-table"
            stateOf={stateOf}
            tabular="(min-width: 900px)"
            rowHeight={{ table: 48, card: 118 }}
            onCopy={({ email, name }) => void copyText(email ?? name, words.copied(email ?? name))}
          >
            {shown?.length === 0 && (
              <>
                <p>{words.empty}</p>
                {draft !== '' && (
                  <Button className="mt-3" onClick={() => setDraft('')}>
                    {words.clear}
                  </Button>
                )}
              </>
            )}
          </ListTable>
        )}
      </div>
      <Suspense>
        {edit === 'enable' && enables && users && (
          <EnableDialog users={users} onClose={close} onEnabled={closeSaying} />
        )}
        {edit && edit !== 'enable' && manages && (users || edit === 'new') && (
          <UserDialog
            key={edit}
            users={users ?? []}
            id={edit === 'new' ? undefined : Number(edit)}
            MadeByUser={MadeByUser}
            onClose={close}
            onSaved={(status) => closeSaying(status ?? words.saved)}
          />
        )}
      </Suspense>
    </Page>
  )
}

function named(users: readonly User[], search: string): readonly User[] {
  const wanted = fold(search.trim())
  return wanted === '' ? users : users.filter(({ name }) => fold(name).includes(wanted))
}

function keyOf({ id }: User): string {
  return String(id)
}

function stateOf({ enabled }: User): string | undefined {
  return enabled ? undefined : 'disabled'
}
