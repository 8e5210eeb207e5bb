import { useMutation, useQueryClient } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { devicesQuery, setEnabled, cacheEnabled } from './devices.ts'
import { toast } from '#console/ui/toast.tsx'

type Wish = { uid: string; enabled: boolean }

/** Enables or disables a device optimistically. If the server refuses, the row reverts and a toast offers a retry. */
export function useEnabled(): (wish: Wish) => void {
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationKey: ['device-enabled'],
    mutationFn: ({ uid, enabled }: Wish) => setEnabled(uid, enabled),
    onMutate: async ({ uid, enabled }) => {
      cacheEnabled(queryClient, uid, enabled)
      // A list that is loading would show the old value.
      await queryClient.cancelQueries(devicesQuery)
    },
    onSuccess: (_, { uid, enabled }) => cacheEnabled(queryClient, uid, enabled),
    onError: (_, { uid, enabled }) => {
      cacheEnabled(queryClient, uid, !enabled)
      const said = enabled ? words.enableFailed(uid) : words.disableFailed(uid)
      toast({ text: said, action: { label: text.retry, run: () => mutate({ uid, enabled }) } })
    },
  })
  return mutate
}
