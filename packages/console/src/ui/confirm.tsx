import type { ReactNode } from 'react'
import type { FormState } from '#console/core/form.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** Asks before an action that cannot be undone. It stays open while the action runs, and shows why if it failed. */
export function Confirm({
  title,
  action,
  form: { pending, said },
  children,
  onConfirm,
  onClose,
}: {
  title: string
  action: string
  form: FormState
  /** Explains what will happen. */
  children: ReactNode
  onConfirm: () => void
  onClose: () => void
}) {
  const gone = useServerGone()
  return (
    <Modal title={title} onClose={() => !pending && onClose()}>
      <div className="flex flex-col gap-4">
        {children}
        {said && <Notice tone="bad">{said}</Notice>}
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <GoneReason />
          <Button size="lg" onClick={onClose} disabled={pending}>
            {text.cancel}
          </Button>
          <Button size="lg" tone="primary" disabled={pending || gone} aria-busy={pending} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
