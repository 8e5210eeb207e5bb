import type { MadeWebhook, Webhook } from '@sdd/contract/callbacks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removeWebhook, webhooksQuery } from '#console/callbacks/calls.ts'
import { WebhookForm } from '#console/callbacks/webhook-form.tsx'
import { whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { callbackDialogs as words } from '#console/core/text/callback-dialogs.ts'
import { callbacks } from '#console/core/text/callbacks.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { ShownOnce } from '#console/ui/shown-once.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The form of a new webhook and, once it is made, its secret; or the question before one is removed. */
export default function WebhookDialogs({
  open,
  webhooks,
  onClose,
}: {
  /** `new`, or `webhook-` and the id of the one that is about to be removed. */
  open: string
  webhooks: readonly Webhook[]
  onClose: () => void
}) {
  const queryClient = useQueryClient()
  const [made, setMade] = useState<MadeWebhook>()
  if (made) return <MadeSecret made={made} onClose={onClose} />
  if (open !== 'new') {
    return <RemoveWebhook webhook={webhooks.find(({ id }) => open === `webhook-${id}`)} onClose={onClose} />
  }
  return (
    <WebhookForm
      onClose={onClose}
      onMade={(webhook) => {
        void queryClient.invalidateQueries(webhooksQuery)
        setMade(webhook)
      }}
    />
  )
}

function MadeSecret({ made, onClose }: { made: MadeWebhook; onClose: () => void }) {
  return (
    <ShownOnce title={words.made} onClose={onClose}>
      {(copied) => (
        <>
          <p className="font-semibold [overflow-wrap:anywhere]">{made.url}</p>
          <CopyRow
            label={words.secret}
            value={made.webhook_secret}
            copyLabel={words.copySecret}
            hint={words.secretHint}
            onCopied={copied}
          />
        </>
      )}
    </ShownOnce>
  )
}

function RemoveWebhook({ webhook: given, onClose }: { webhook: Webhook | undefined; onClose: () => void }) {
  const queryClient = useQueryClient()
  // As it was when it was asked about: removed, it leaves the list while it is still shown.
  const [webhook] = useState(given)
  if (!webhook) {
    return (
      <Modal title={callbacks.webhooks} onClose={onClose}>
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.webhookGone}
        </Notice>
      </Modal>
    )
  }

  async function run({ id }: Webhook): Promise<string | undefined> {
    try {
      await removeWebhook(id)
    } catch (fault) {
      return whyOf(fault, words.removeFailed)
    }
    toast({ text: words.removed })
    onClose()
    void queryClient.invalidateQueries({ queryKey: ['callbacks'] })
    return undefined
  }

  return (
    <Confirm title={words.removeTitle} action={callbacks.remove} run={() => run(webhook)} onClose={onClose}>
      <p className="font-semibold [overflow-wrap:anywhere]">{webhook.url}</p>
      <p>{words.removeMeans}</p>
    </Confirm>
  )
}
