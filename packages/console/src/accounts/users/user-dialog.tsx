import { removeSecondFactor } from '@sdd/contract/accounts/second-factor.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '#console/core/api.ts'
import { useForm } from '#console/core/form.ts'
import { readSession } from '#console/core/session.ts'
import type { Draft } from './draft.ts'
import { users as words } from './text.ts'
import { UserForm, type MadeByUserComponent } from './user-form.tsx'
import { usersQuery, type User } from './users.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The form for an existing or new user. It stays open while it saves. */
export default function UserDialog({
  users,
  id,
  MadeByUser,
  onClose,
  onSaved,
}: {
  users: readonly User[]
  /** Undefined for a new user. */
  id: number | undefined
  MadeByUser: MadeByUserComponent
  onClose: () => void
  onSaved: (status: string | undefined) => void
}) {
  const queryClient = useQueryClient()
  const user = users.find((one) => one.id === id)
  /** As the form first showed it: only what differs from it was typed. */
  const [opened, setOpened] = useState(user)
  if (user && !opened) setOpened(user)
  const [removing, setRemoving] = useState(false)
  /** What the form had when its question opened in its place. */
  const [kept, setKept] = useState<Draft>()
  if (user && removing) {
    return (
      <RemoveFactor
        user={user}
        onClose={() => setRemoving(false)}
        onDone={() => void queryClient.invalidateQueries(usersQuery)}
      />
    )
  }
  const title = id === undefined ? words.addTitle : words.editTitle
  if (id !== undefined && user === undefined) {
    return (
      <Modal title={title} onClose={onClose}>
        <Notice tone="bad" retry={{ label: words.cancel, run: onClose }}>
          {words.unknown}
        </Notice>
      </Modal>
    )
  }
  // Users turn off their own factor on the account screen, with their password and a code.
  const removable = user?.second_factor && user.id !== readSession()?.userId
  return (
    <UserForm
      title={title}
      user={opened}
      latest={user}
      kept={kept}
      MadeByUser={MadeByUser}
      onClose={onClose}
      onRemoveFactor={
        removable
          ? (draft) => {
              setKept(draft)
              setRemoving(true)
            }
          : undefined
      }
      onSaved={(status) => {
        void queryClient.invalidateQueries(usersQuery)
        onSaved(status)
      }}
    />
  )
}

function RemoveFactor({ user, onClose, onDone }: { user: User; onClose: () => void; onDone: () => void }) {
  const form = useForm({
    save: () => callApi(removeSecondFactor, { params: { id: String(user.id) } }),
    failed: words.removeFactorFailed,
    onSaved() {
      onDone()
      toast({ text: words.factorRemoved(user.name) })
      onClose()
    },
  })

  return (
    <Confirm
      title={words.removeFactorTitle(user.name)}
      action={words.removeFactor}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p>{words.removeFactorMeans}</p>
    </Confirm>
  )
}
