import { KeyRound } from 'lucide-react'
import { type ComponentType, Suspense } from 'react'
import { apiKeysQuery, type KeyDialogsProps } from './calls.ts'
import { firstKeyColumns, lastKeyColumns } from './key-columns.tsx'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { useRows } from '#console/core/pages.ts'
import { apiKeys as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'

type Props = {
  /** `new`, the id of the key to revoke, or `rotate-` and the id of the key to rotate. */
  open: string | undefined
  /** `KeyDialogs` with its command line. */
  Dialogs: ComponentType<KeyDialogsProps>
  onChange: (next: { open: string | undefined }) => void
}

export default function ApiKeysTab({ open, Dialogs, onChange }: Props) {
  const list = useRows(apiKeysQuery)
  const columns = useCompanyColumn(firstKeyColumns(), lastKeyColumns(), 'card:text-muted')

  return (
    <>
      <ListScreen
        list={list}
        words={words}
        bar={
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="min-w-0 text-muted">{words.about}</p>
            <Button
              needsServer
              tone="primary"
              className="max-md:w-full"
              onClick={() => onChange({ open: 'new' })}
            >
              <KeyRound className="size-4" aria-hidden="true" />
              {words.add}
            </Button>
          </div>
        }
        keyOf={({ id }) => id}
        columns={columns}
        cards="'name hint' auto 'company company' auto 'may may' auto 'used actions' auto 'expires actions' auto/1fr auto"
        rowLook="card:min-h-[134px]"
        tabular="(min-width: 1366px)"
        rowHeight={{ table: 46, card: 134 }}
        acts={{
          revoke: ({ id }) => onChange({ open: String(id) }),
          rotate: ({ id }) => onChange({ open: `rotate-${id}` }),
        }}
        onCopy={({ hint }) => void copyText(hint, words.copied(hint))}
        empty={<EmptyList said={words.empty} hint={words.emptyHint} />}
      />
      {open !== undefined && list.rows && (
        <Suspense>
          <Dialogs key={open} open={open} keys={list.rows} onClose={() => onChange({ open: undefined })} />
        </Suspense>
      )}
    </>
  )
}
