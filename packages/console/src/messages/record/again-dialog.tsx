import { Link } from '@tanstack/react-router'
import { text } from '#console/core/text.ts'
import { record as words } from './text.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'

/** Warns before a message that may have arrived is sent again. */
export function AgainDialog({ to, message, onClose }: { to: string; message: string; onClose: () => void }) {
  return (
    <Modal title={words.againTitle} onClose={onClose}>
      <p>{words.againMeans}</p>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button size="lg" onClick={onClose}>
          {text.cancel}
        </Button>
        <Link
          to="/sms"
          search={{ to, text: message }}
          className={buttonLook({ size: 'lg', tone: 'primary' })}
        >
          {words.againGoOn}
        </Link>
      </div>
    </Modal>
  )
}
