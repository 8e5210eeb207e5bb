import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { users as words } from '#console/core/text/users.ts'
import { UserForm } from '#console/users/user-form.tsx'
import { usersQuery, type User } from '#console/users/users.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** The form of one user, or of one that is still to be made; it stays open while it saves. */
export default function UserDialog({
  users,
  id,
  onClose,
  onSaved,
}: {
  users: readonly User[]
  /** Undefined: a new user. */
  id: number | undefined
  onClose: () => void
  /** Gets the server's words, where it had any. */
  onSaved: (status: string | undefined) => void
}) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const user = id === undefined ? undefined : users.find((one) => one.id === id)
  const close = () => {
    if (!busy) onClose()
  }
  return (
    <Modal title={id === undefined ? words.addTitle : words.editTitle} onClose={close}>
      {id !== undefined && user === undefined ? (
        <Notice tone="bad" retry={{ label: words.cancel, run: onClose }}>
          {words.unknown}
        </Notice>
      ) : (
        <UserForm
          user={user}
          onCancel={close}
          onBusy={setBusy}
          onSaved={(status) => {
            void queryClient.invalidateQueries(usersQuery)
            onSaved(status)
          }}
        />
      )}
    </Modal>
  )
}
