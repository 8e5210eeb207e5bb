import { text } from '#console/core/text.ts'
import { Person } from './contact-pane.tsx'
import type { ConversationRef } from './conversations.ts'
import { conversations as words } from './text.ts'
import { CloseButton } from '#console/ui/close-button.tsx'
import { Modal } from '#console/ui/dialog.tsx'

/** The contact, if it has no room next to the thread. */
export default function PersonDialog({ of, onClose }: { of: ConversationRef; onClose: () => void }) {
  return (
    <Modal title={words.person.title} onClose={onClose}>
      <CloseButton label={text.close} onClose={onClose} />
      <div className="-mx-4 flex flex-col">
        <Person of={of} />
      </div>
    </Modal>
  )
}
