import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { keepSmsDraft, readSmsDraft, type SmsDraft } from './draft.ts'
import { sendMessage } from './messages.ts'

type DraftChange = Partial<SmsDraft> | ((now: SmsDraft) => Partial<SmsDraft>)

export type Sending = ReturnType<typeof useSending>

/**
 * The state of a send form, owned by the form's parent. `uid`: the only device to send through. `onSent` gets the guid
 * of each accepted message.
 */
export function useSending({ uid, onSent }: { uid?: string; onSent?: (guid: string) => void }) {
  const [draft, setDraft] = useState(() => readSmsDraft(uid))

  /** Kept at once, since a session may end at any time. */
  function change(next: DraftChange): void {
    setDraft((now) => {
      const changed = { ...now, ...(typeof next === 'function' ? next(now) : next) }
      keepSmsDraft(changed, uid)
      return changed
    })
  }

  const { mutate, reset, isPending, data, variables } = useMutation({
    mutationFn: sendMessage,
    onSuccess(outcome) {
      if (!outcome.sent) return
      change({ to: '', message: '', fields: undefined })
      if (outcome.guid !== undefined) onSent?.(outcome.guid)
    },
  })
  return {
    uid,
    draft,
    change,
    pending: isPending,
    outcome: data,
    sms: variables,
    send: mutate,
    close: reset,
    onSent,
  }
}
