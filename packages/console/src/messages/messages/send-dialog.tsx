import { send as words } from './text.ts'
import { SendForm } from './send-form.tsx'
import { useSending } from './use-sending.ts'
import { Modal } from '#console/ui/dialog.tsx'

/** The send form for one device. It stays open until the user has read the result. */
export default function SendDialog({ uid, onClose }: { uid: string; onClose: () => void }) {
  const sending = useSending({ uid })
  const close = () => {
    if (!sending.pending) onClose()
  }
  return (
    <Modal title={words.title} onClose={close}>
      <p className="-mt-2.5 mb-4 text-muted">
        {words.through} <b className="mono font-semibold text-ink">{uid}</b>
      </p>
      <SendForm sending={sending} onCancel={close} onDone={onClose} />
    </Modal>
  )
}
