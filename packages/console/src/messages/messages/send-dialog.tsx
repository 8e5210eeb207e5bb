import { send as words } from './text.ts'
import type { UnsentMessage } from './messages.ts'
import { SendForm, useSending } from './send-form.tsx'
import { Modal } from '#console/ui/dialog.tsx'

/** The send form for one device. It stays open until the user has read the result, and returns a refused message. */
export default function SendDialog({
  uid,
  draft,
  onLeft,
  onClose,
}: {
  uid: string
  draft: UnsentMessage | undefined
  onLeft: (left: UnsentMessage) => void
  onClose: () => void
}) {
  const sending = useSending({ uid, draft })
  const close = () => {
    if (!sending.pending) onClose()
  }
  return (
    <Modal title={words.title} onClose={close}>
      <p className="-mt-2.5 mb-4 text-muted">
        {words.through} <b className="mono font-semibold text-ink">{uid}</b>
      </p>
      <SendForm
        sending={sending}
        onCancel={close}
        onDone={(left) => {
          onLeft(left)
          onClose()
        }}
      />
    </Modal>
  )
}
