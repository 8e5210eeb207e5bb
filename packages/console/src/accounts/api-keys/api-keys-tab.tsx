import type { ApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { apiKeysQuery, type ExampleLine } from './calls.ts'
import { keyColumns } from './key-columns.tsx'
import { companyColumns, useCompanies } from '#console/accounts/companies/companies.tsx'
import { text } from '#console/core/text.ts'
import { apiKeys as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import './api-keys.css'

const KeyDialogs = lazy(() => import('./key-dialogs.tsx'))

type Props = {
  /** `new`, the id of the key that is about to be revoked, or `rotate-` and the id of one that is to be rotated. */
  open: string | undefined
  exampleLine: ExampleLine
  onChange: (next: { open: string | undefined }) => void
}

export default function ApiKeysTab({ open, exampleLine, onChange }: Props) {
  const { data: keys, isError, refetch } = useQuery(apiKeysQuery)
  const companies = useCompanies()
  const columns = useMemo(
    () =>
      keyColumns(
        companyColumns(companies),
        (id) => onChange({ open: String(id) }),
        (id) => onChange({ open: `rotate-${id}` }),
      ),
    [companies, onChange],
  )
  const add = (
    <Button tone="primary" className="max-md:w-full" onClick={() => onChange({ open: 'new' })}>
      <KeyRound className="size-4" aria-hidden="true" />
      {words.add}
    </Button>
  )

  return (
    <>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.loadFailed} {keys && text.kept}
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 text-muted">{words.about}</p>
        {add}
      </div>
      {(keys || !isError) && (
        <ListTable
          label={words.title}
          region={words.list}
          rows={keys}
          keyOf={idOf}
          columns={columns}
          className="key-table"
          stateOf={noState}
          tabular="(min-width: 1000px)"
          rowHeight={{ table: 46, card: 134 }}
          onCopy={({ hint }) => void copyText(hint, words.copied(hint))}
        >
          {keys?.length === 0 && (
            <>
              <p className="mb-1">{words.empty}</p>
              <p className="text-sm">{words.emptyHint}</p>
            </>
          )}
        </ListTable>
      )}
      {open !== undefined && keys && (
        <Suspense>
          <KeyDialogs
            key={open}
            open={open}
            keys={keys}
            exampleLine={exampleLine}
            onClose={() => onChange({ open: undefined })}
          />
        </Suspense>
      )}
    </>
  )
}

function idOf({ id }: ApiKey): string {
  return String(id)
}

function noState(): undefined {
  return undefined
}
