import type { ApiKey, MadeApiKey } from '@sdd/contract/api-keys.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { apiKeysQuery, revokeKey } from '#console/api-keys/api-keys.ts'
import { keyColumns } from '#console/api-keys/key-columns.tsx'
import { KeyForm } from '#console/api-keys/key-form.tsx'
import { MadeKey } from '#console/api-keys/made-key.tsx'
import { companyColumns, useCompanies } from '#console/companies/companies.tsx'
import { whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { apiKeys as words } from '#console/core/text/api-keys.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { Confirm } from '#console/ui/confirm.tsx'
import { copyText } from '#console/ui/copy.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { ListTable } from '#console/ui/list-table.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'
import '#console/api-keys/api-keys.css'

type Props = {
  /** `new`, or the id of the key that is about to be revoked. */
  open: string | undefined
  onChange: (next: { open: string | undefined }) => void
}

export default function ApiKeysTab({ open, onChange }: Props) {
  const queryClient = useQueryClient()
  const { data: keys, isError, refetch } = useQuery(apiKeysQuery)
  const companies = useCompanies()
  const [made, setMade] = useState<MadeApiKey>()
  const columns = useMemo(
    () => keyColumns(companyColumns(companies), (id) => onChange({ open: String(id) })),
    [companies, onChange],
  )
  const close = () => onChange({ open: undefined })
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
      {open === 'new' && !made && (
        <KeyForm
          onClose={close}
          onMade={(key) => {
            void queryClient.invalidateQueries(apiKeysQuery)
            setMade(key)
          }}
        />
      )}
      {made && (
        <MadeKey
          made={made}
          onClose={() => {
            setMade(undefined)
            close()
          }}
        />
      )}
      {open !== undefined && open !== 'new' && keys && (
        <RevokeKey key={open} apiKey={keys.find(({ id }) => String(id) === open)} onClose={close} />
      )}
    </>
  )
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [key] = useState(apiKey)
  if (!key) {
    return (
      <Modal title={words.title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.gone}
        </Notice>
      </Modal>
    )
  }

  async function revoke({ id, name }: ApiKey): Promise<string | undefined> {
    try {
      await revokeKey(id)
    } catch (fault) {
      return whyOf(fault, words.revokeFailed)
    }
    queryClient.setQueryData(apiKeysQuery.queryKey, (keys) => keys?.filter((one) => one.id !== id))
    void queryClient.invalidateQueries(apiKeysQuery)
    toast({ text: words.revoked(name) })
    onClose()
    return undefined
  }

  return (
    <Confirm
      title={words.revokeTitle(key.name)}
      action={words.revoke}
      run={() => revoke(key)}
      onClose={onClose}
    >
      <p>{words.revokeMeans(key.hint)}</p>
      <p className="text-muted">
        {words.lastUsed} {key.last_used_at ? <Ago at={key.last_used_at} /> : words.neverUsed}.{' '}
        {words.revokeKeeps}
      </p>
    </Confirm>
  )
}

function idOf({ id }: ApiKey): string {
  return String(id)
}

function noState(): undefined {
  return undefined
}
