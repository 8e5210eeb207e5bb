import { useMutation, useQueryClient } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { setEnabled, showChange } from './calls.ts'
import { toast } from '#console/ui/toast.tsx'

type Wish = { uid: string; enabled: boolean; undoes?: boolean }

/** Enables or disables a device optimistically. A toast offers to undo it. If the server refuses, the row reverts and a toast offers a retry. */
export function useEnabled(): (wish: Wish) => void {
  const queryClient = useQueryClient()
  const show = (uid: string, enabled: boolean) =>
    showChange(queryClient, new Set([uid]), (device) => ({ ...device, enabled }))
  const { mutate } = useMutation({
    mutationKey: ['device-enabled'],
    mutationFn: ({ uid, enabled }: Wish) => setEnabled(uid, enabled),
    onMutate: ({ uid, enabled }) => show(uid, enabled),
    onSuccess(_, { uid, enabled, undoes }) {
      if (undoes) return
      const undo = { label: words.undo, run: () => mutate({ uid, enabled: !enabled, undoes: true }) }
      toast({ text: enabled ? words.nowEnabled(uid) : words.nowDisabled(uid), action: undo, fades: true })
    },
    onError: (_, { uid, enabled }) => {
      show(uid, !enabled)()
      const said = enabled ? words.enableFailed(uid) : words.disableFailed(uid)
      toast({ text: said, action: { label: text.retry, run: () => mutate({ uid, enabled }) } })
    },
    onSettled: (_, __, ___, shown) => shown?.(),
  })
  return mutate
}
