import { saveUser } from '@sdd/contract/accounts/users.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import { usersQuery, type User } from './users.ts'
import { Button } from '#console/ui/button.tsx'
import { CheckList } from '#console/ui/check-list.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** Enables several users at once, such as after a restored backup, which disables everybody but the superadmins. */
export default function EnableDialog({
  users,
  onClose,
  onEnabled,
}: {
  users: readonly User[]
  onClose: () => void
  onEnabled: (count: number) => void
}) {
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const disabled = users.filter(({ enabled }) => !enabled)
  const ids = disabled.map(({ id }) => String(id))
  // One at a time, so that one refusal does not stop the others.
  const enable = useMutation({
    mutationFn: async (selected: readonly User[]) => {
      const refused: User[] = []
      let why: unknown
      for (const user of selected) {
        const { id, name, email, role } = user
        try {
          await callApi(saveUser, { body: { id, name, email: email ?? '', role, enabled: true } })
        } catch (fault) {
          refused.push(user)
          why ??= fault
        }
      }
      await queryClient.invalidateQueries(usersQuery)
      return { refused, why, enabled: selected.length - refused.length }
    },
    onSuccess: ({ refused, enabled }) => {
      setChosen(refused.map(({ id }) => String(id)))
      if (refused.length === 0) onEnabled(enabled)
    },
  })
  const selected = disabled.filter(({ id }) => chosen.includes(String(id)))
  const [refused, ...others] = enable.data?.refused ?? []
  const close = () => {
    if (!enable.isPending) onClose()
  }

  return (
    <Modal title={words.enableTitle} onClose={close}>
      <div className="flex flex-col gap-4">
        {refused && (
          <Notice tone="bad">
            {words.notEnabled(refused.name, others.length, faultText(enable.data?.why, words.saveFailed))}
          </Notice>
        )}
        <button
          type="button"
          disabled={enable.isPending}
          onClick={() => setChosen(selected.length < ids.length ? ids : [])}
          className="flex min-h-7 w-fit items-center font-semibold text-link max-md:min-h-11"
        >
          {selected.length < ids.length ? words.selectAll : words.selectNone}
        </button>
        <div className="max-h-[45dvh] overflow-y-auto">
          <CheckList
            label={words.enableWho}
            options={ids}
            words={Object.fromEntries(disabled.map((user) => [String(user.id), lineOf(user)]))}
            chosen={chosen}
            onChange={setChosen}
          />
        </div>
        <div className="flex justify-end gap-2 pt-1">
          <Button size="lg" onClick={close} disabled={enable.isPending}>
            {text.cancel}
          </Button>
          <Button
            needsServer
            size="lg"
            tone="primary"
            disabled={enable.isPending || selected.length === 0}
            aria-busy={enable.isPending}
            onClick={() => enable.mutate(selected)}
          >
            {words.enable(selected.length)}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function lineOf({ name, role, company, companyId }: User): string {
  return [name, text.roles[role], company ?? companyId].filter((part) => part !== undefined).join(' · ')
}
