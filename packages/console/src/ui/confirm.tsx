import { useState, type ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** Asks before what cannot be undone. It stays open while it runs, and where it failed, saying why. */
export function Confirm({
  title,
  action,
  children,
  run,
  onClose,
}: {
  title: string
  /** What its button says. */
  action: string
  /** What will happen. */
  children: ReactNode
  /** Gives what went wrong, where something did; what closes the dialog on success is the caller's to do. */
  run: () => Promise<string | undefined>
  onClose: () => void
}) {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()

  async function confirm(): Promise<void> {
    if (busy) return
    setBusy(true)
    setFault(undefined)
    setFault(await run())
    setBusy(false)
  }

  return (
    <Modal title={title} onClose={() => !busy && onClose()}>
      <div className="flex flex-col gap-4">
        {children}
        {fault && <Notice tone="bad">{fault}</Notice>}
        <div className="flex justify-end gap-2 pt-1">
          <Button size="lg" onClick={onClose} disabled={busy}>
            {text.cancel}
          </Button>
          <Button size="lg" tone="primary" disabled={busy} aria-busy={busy} onClick={() => void confirm()}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
