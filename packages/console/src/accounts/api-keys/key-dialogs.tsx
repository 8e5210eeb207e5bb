import type { ApiKey, CreatedApiKey, RotatedApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  apiKeysQuery,
  endKeyOverlap,
  revokeKey,
  rotateKey,
  type ExampleLine,
  type KeyDialogsProps,
} from './calls.ts'
import { KeyForm } from './key-form.tsx'
import { MadeKey } from './made-key.tsx'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { apiKeys as words } from './text.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Rotate } from '#console/ui/rotate.tsx'
import { dayTime } from '#console/ui/time.ts'
import { toast } from '#console/ui/toast.tsx'

/** The form for a new key and then the key itself, or the confirmation before a key is rotated or revoked. */
export default function KeyDialogs({
  open,
  keys,
  exampleLine,
  onClose,
}: KeyDialogsProps & { exampleLine: ExampleLine }) {
  const queryClient = useQueryClient()
  const [made, setMade] = useState<CreatedApiKey | RotatedApiKey>()
  const [, rotated, id] = /^(rotate-)?(\d+)$/.exec(open) ?? []
  // A copy from when the dialog opened: a revoked key leaves the list while the dialog still shows it.
  const [key] = useState(() => keys.find((one) => String(one.id) === id))
  function onMade(key: CreatedApiKey | RotatedApiKey): void {
    void queryClient.invalidateQueries(apiKeysQuery)
    setMade(key)
  }

  if (made) return <MadeKey made={made} exampleLine={exampleLine} onClose={onClose} />
  if (open === 'new') return <KeyForm onClose={onClose} onMade={onMade} />
  if (key === undefined) {
    return (
      <Modal title={words.title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.gone}
        </Notice>
      </Modal>
    )
  }
  return rotated ? (
    <RotateKey apiKey={key} onClose={onClose} onMade={onMade} />
  ) : (
    <RevokeKey apiKey={key} onClose={onClose} />
  )
}

function RotateKey({
  apiKey: { id, name, hint, previous_until },
  onClose,
  onMade,
}: {
  apiKey: ApiKey
  onClose: () => void
  onMade: (key: RotatedApiKey) => void
}) {
  const queryClient = useQueryClient()
  const rotation = useForm({
    save: (overlap_hours: number) => rotateKey(id, overlap_hours),
    failed: words.rotateFailed,
    onSaved: onMade,
  })
  const end = useForm({
    save: () => endKeyOverlap(id),
    failed: words.endFailed,
    onSaved() {
      void queryClient.invalidateQueries(apiKeysQuery)
      toast({ text: words.ended(name) })
      onClose()
    },
  })
  const ending = previous_until !== null && {
    lasts: words.previousLasts(dayTime(previous_until)),
    title: words.endTitle(name),
    means: words.endMeans,
    form: end,
    onConfirm: () => end.send(),
  }
  return (
    <Rotate
      title={words.rotateTitle(name)}
      label={words.overlap(hint)}
      ending={ending || undefined}
      form={rotation}
      onRotate={rotation.send}
      onClose={onClose}
    >
      <p>{words.rotateMeans}</p>
    </Rotate>
  )
}

function RevokeKey({ apiKey: key, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queryClient = useQueryClient()

  const form = useForm({
    save: () => revokeKey(key.id),
    failed: words.revokeFailed,
    onSaved() {
      queryClient.setQueryData(apiKeysQuery.queryKey, (keys) => keys?.filter(({ id }) => id !== key.id))
      void queryClient.invalidateQueries(apiKeysQuery)
      toast({ text: words.revoked(key.name) })
      onClose()
    },
  })

  return (
    <Confirm
      title={words.revokeTitle(key.name)}
      action={words.revoke}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>
        {words.revokeMeans(key.hint)} {key.previous_until !== null && words.revokeBoth}
      </p>
      <p className="text-muted">
        {words.lastUsed} {key.last_used_at ? <Ago at={key.last_used_at} /> : words.neverUsed}.{' '}
        {words.revokeKeeps}
      </p>
    </Confirm>
  )
}
