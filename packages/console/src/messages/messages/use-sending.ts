import { useMutation } from '@tanstack/react-query'
import { useSmsDraft } from './draft.ts'
import { sendMessage } from './messages.ts'

export type Sending = ReturnType<typeof useSending>

/**
 * The state of a send form, owned by the form's parent. `uid`: the only device to send through. `onSent` gets the guid
 * of each accepted message.
 */
export function useSending({ uid, onSent }: { uid?: string; onSent?: (guid: string) => void }) {
  const { draft, change } = useSmsDraft(uid)
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
