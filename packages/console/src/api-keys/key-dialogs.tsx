import type { ApiKey, MadeApiKey } from '@sdd/contract/api-keys.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiKeysQuery, revokeKey } from '#console/api-keys/calls.ts'
import { KeyForm } from '#console/api-keys/key-form.tsx'
import { MadeKey } from '#console/api-keys/made-key.tsx'
import { whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { apiKeys as words } from '#console/core/text/api-keys.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The form of a new key and, once it is made, the key; or the question before one is revoked. */
export default function KeyDialogs({
  open,
  keys,
  onClose,
}: {
  /** `new`, or the id of the key that is about to be revoked. */
  open: string
  keys: readonly ApiKey[]
  onClose: () => void
}) {
  const queryClient = useQueryClient()
  const [made, setMade] = useState<MadeApiKey>()
  if (made) return <MadeKey made={made} onClose={onClose} />
  if (open !== 'new')
    return <RevokeKey apiKey={keys.find(({ id }) => String(id) === open)} onClose={onClose} />
  return (
    <KeyForm
      onClose={onClose}
      onMade={(key) => {
        void queryClient.invalidateQueries(apiKeysQuery)
        setMade(key)
      }}
    />
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
