import { useState, type ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

/**
 * Secrets that are shown only once. Closing without having copied anything first shows a warning; closing again works.
 */
export function ShownOnce({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  /** Call `copied` after something was copied. */
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
