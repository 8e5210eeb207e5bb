import { useState, type ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

/**
 * Secrets that are never shown again. Who closes it without having copied anything is told once, and closes it by
 * doing so again.
 */
export function ShownOnce({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  /** `copied` is told when something was. */
  children: (copied: () => void) => ReactNode
}) {
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)

  function close(): void {
    if (copied || warned) onClose()
    else setWarned(true)
  }

  return (
    <Modal title={title} onClose={close} wide>
      <div className="flex flex-col gap-4">
        <Notice tone="warn">{text.once.only}</Notice>
        {children(() => setCopied(true))}
        {warned && !copied && <Notice tone="bad">{text.once.notCopied}</Notice>}
        <div className="flex justify-end pt-1">
          <Button tone="primary" size="lg" onClick={close}>
            {text.close}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
