import { useIsMutating, useMutation } from '@tanstack/react-query'
import { useSmsDraft } from './draft.ts'
import { outcomeText, sendMessage } from './messages.ts'
import { send as words } from './text.ts'
import { toast } from '#console/ui/toast.tsx'
import { useLeft } from '#console/ui/use-left.ts'

export type Sending = ReturnType<typeof useSending>

/**
 * The state of a send form, owned by the form's parent. `uid`: the only device to send through. `onSent` gets the guid
 * of each accepted message.
 */
export function useSending({ uid, onSent }: { uid?: string; onSent?: (guid: string) => void }) {
  const { draft, change } = useSmsDraft(uid)
  const left = useLeft()
  const sends = { mutationKey: ['send', uid ?? null], mutationFn: sendMessage }
  const { mutateAsync } = useMutation(sends)
  const { mutate, reset, data, variables } = useMutation({
    ...sends,
    onSuccess(outcome, { telefono_to, mensaje_sms }) {
      // The user has left the form, which would show the result.
      if (left.current) {
        const title = outcome.sent ? words.success : words.failure
        toast({ text: `${title} (${telefono_to}): ${outcomeText(outcome)}` })
      }
      if (!outcome.sent) return
      change(({ to, message }) =>
        // A text typed meanwhile stays.
        to.trim() === telefono_to && message === mensaje_sms
          ? { to: '', message: '', fields: undefined }
          : {},
      )
      if (outcome.guid !== undefined) onSent?.(outcome.guid)
    },
  })
  return {
    uid,
    draft,
    change,
    /** Also if the form was left and is shown again: the outcome of its message is open. */
    pending: useIsMutating(sends) > 0,
    outcome: data,
    sms: variables,
    send: mutate,
    /** Sends one of several messages: the outcome is for the caller only. */
    sendOne: mutateAsync,
    close: reset,
    onSent,
  }
}
