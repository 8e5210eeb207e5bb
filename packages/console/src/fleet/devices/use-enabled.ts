import { useMutation, useQueryClient } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { cacheChange, setEnabled } from './calls.ts'
import { devicesQuery } from './devices.ts'
import { toast } from '#console/ui/toast.tsx'

type Wish = { uid: string; enabled: boolean; undoes?: boolean }

/** Enables or disables a device optimistically. A toast offers to undo it. If the server refuses, the row reverts and a toast offers a retry. */
export function useEnabled(): (wish: Wish) => void {
  const queryClient = useQueryClient()
  const show = (uid: string, enabled: boolean) =>
    cacheChange(queryClient, new Set([uid]), (device) => ({ ...device, enabled }))
  const { mutate } = useMutation({
    mutationKey: ['device-enabled'],
    mutationFn: ({ uid, enabled }: Wish) => setEnabled(uid, enabled),
    onMutate: async ({ uid, enabled }) => {
      show(uid, enabled)
      // A list that is loading would show the old value.
      await queryClient.cancelQueries(devicesQuery)
    },
    onSuccess(_, { uid, enabled, undoes }) {
      show(uid, enabled)
      if (undoes) return
      const undo = { label: words.undo, run: () => mutate({ uid, enabled: !enabled, undoes: true }) }
      toast({ text: enabled ? words.nowEnabled(uid) : words.nowDisabled(uid), action: undo, fades: true })
    },
    onError: (_, { uid, enabled }) => {
      show(uid, !enabled)
      const said = enabled ? words.enableFailed(uid) : words.disableFailed(uid)
      toast({ text: said, action: { label: text.retry, run: () => mutate({ uid, enabled }) } })
    },
  })
  return mutate
}
