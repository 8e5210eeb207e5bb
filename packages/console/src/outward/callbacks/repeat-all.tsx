import { useMutation, useQueryClient } from '@tanstack/react-query'
import { repeatAllDead } from './calls.ts'
import { faultText } from '#console/core/api.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { Button } from '#console/ui/button.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Sends everything that was given up again. */
export default function RepeatAll() {
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: repeatAllDead,
    onSuccess: ({ repeated, more }) => toast({ text: words.repeatedAll(repeated, more) }),
    onError: (fault) => toast({ text: faultText(fault, words.repeatAllFailed) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['callbacks'] }),
  })
  return (
    <Button needsServer disabled={isPending} aria-busy={isPending} onClick={() => mutate()}>
      {words.repeatAll}
    </Button>
  )
}
