import type { MadeWebhook, Webhook } from '@sdd/contract/outward/callbacks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endSecretOverlap, removeWebhook, rotateSecret, webhooksQuery } from './calls.ts'
import { TestDialog } from './test-dialog.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { callbacks } from './text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Rotate } from '#console/ui/rotate.tsx'
import { ShownOnce } from '#console/ui/shown-once.tsx'
import { dayTime } from '#console/ui/time.ts'
import { toast } from '#console/ui/toast.tsx'

/**
 * The form for a new webhook and then its secret, or the confirmation before a webhook is removed or its secret
 * rotated.
 */
export default function WebhookDialogs({
  open,
  webhooks,
  onClose,
}: {
  /** `new`, or the id of a webhook after `webhook-` to remove it, `rotate-` to rotate its secret, or `test-`. */
  open: string
  webhooks: readonly Webhook[]
  onClose: () => void
}) {
  const queryClient = useQueryClient()
  const [made, setMade] = useState<MadeWebhook>()
  const [, what, id] = /^(webhook|rotate|test)-(\d+)$/.exec(open) ?? []
  // A copy from when the dialog opened: a removed webhook leaves the list while the dialog still shows it.
  const [webhook] = useState(() => webhooks.find((one) => String(one.id) === id))
  function onMade(made: MadeWebhook): void {
    void queryClient.invalidateQueries(webhooksQuery)
    if (made.format === null) return setMade(made)
    // Nothing is signed with its secret.
    toast({ text: words.made })
    onClose()
  }

  if (made) return <MadeSecret made={made} rotated={what === 'rotate'} onClose={onClose} />
  if (open === 'new') return <WebhookForm onClose={onClose} onMade={onMade} />
  if (webhook === undefined) {
    return (
      <Modal title={callbacks.webhooks} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.webhookGone}
        </Notice>
      </Modal>
    )
  }
  if (what === 'test') return <TestDialog webhook={webhook} onClose={onClose} />
  return what === 'rotate' ? (
    <RotateSecret webhook={webhook} onClose={onClose} onMade={onMade} />
  ) : (
    <RemoveWebhook webhook={webhook} onClose={onClose} />
  )
}

function MadeSecret({
  made: { url, webhook_secret, previous_until },
  rotated,
  onClose,
}: {
  made: MadeWebhook
  rotated: boolean
  onClose: () => void
}) {
  return (
    <ShownOnce title={rotated ? words.rotated : words.made} onClose={onClose}>
      {(copied) => (
        <>
          <p className="font-semibold [overflow-wrap:anywhere]">{url}</p>
          {rotated && (
            <p>{previous_until ? words.previousGoesOn(dayTime(previous_until)) : words.previousDead}</p>
          )}
          <CopyRow
            label={words.secret}
            value={webhook_secret}
            copyLabel={words.copySecret}
            hint={words.secretHint}
            onCopied={copied}
          />
        </>
      )}
    </ShownOnce>
  )
}

function RotateSecret({
  webhook: { id, url, previous_until },
  onClose,
  onMade,
}: {
  webhook: Webhook
  onClose: () => void
  onMade: (made: MadeWebhook) => void
}) {
  const queryClient = useQueryClient()
  const rotation = useForm({
    save: (overlap_hours: number) => rotateSecret(id, overlap_hours),
    failed: words.rotateFailed,
    onSaved: onMade,
  })
  const end = useForm({
    save: () => endSecretOverlap(id),
    failed: words.endFailed,
    onSaved() {
      void queryClient.invalidateQueries(webhooksQuery)
      toast({ text: words.ended })
      onClose()
    },
  })
  const ending = previous_until !== null && {
    lasts: words.previousLasts(dayTime(previous_until)),
    title: words.endTitle,
    means: words.endMeans,
    form: end,
    onConfirm: () => end.send(),
  }
  return (
    <Rotate
      title={words.rotateTitle}
      label={words.overlap}
      ending={ending || undefined}
      form={rotation}
      onRotate={rotation.send}
      onClose={onClose}
    >
      <p className="font-semibold [overflow-wrap:anywhere]">{url}</p>
      <p>{words.rotateMeans}</p>
    </Rotate>
  )
}

function RemoveWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const queryClient = useQueryClient()
  const form = useForm({
    save: () => removeWebhook(webhook.id),
    failed: words.removeFailed,
    onSaved() {
      toast({ text: words.removed })
      onClose()
      void queryClient.invalidateQueries({ queryKey: ['callbacks'] })
    },
  })

  return (
    <Confirm
      title={words.removeTitle}
      action={callbacks.remove}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p className="font-semibold [overflow-wrap:anywhere]">{webhook.url}</p>
      <p>{words.removeMeans}</p>
    </Confirm>
  )
}
