import type { ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { Suspense, useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { newGuid } from '#console/core/guid.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useServerGone } from '#console/core/server-gone.ts'
import { answer, discard, type ConversationRef } from './conversations.ts'
import { LineButton } from './line-button.tsx'
import { conversations as words } from './text.ts'
import { toast } from '#console/ui/toast.tsx'

const RepeatDialog = lazyPart(() => import('./repeat-dialog.tsx'))

export type SentMessage = ConversationMessage & { guid: string }

/** A failed message can be sent again; an uncertain one only after a warning. */
export function RepeatAction({ of, message }: { of: ConversationRef; message: ConversationMessage }) {
  const client = useQueryClient()
  const gone = useServerGone()
  const [asks, setAsks] = useState(false)
  // The same guid for each press, so that the text is sent once.
  const [guid] = useState(newGuid)
  const { mutate, mutateAsync, isPending, isSuccess } = useMutation({
    mutationKey: ['conversations', 'repeat'],
    mutationFn: (sure: boolean) => answer(of, { again: message.guid!, sure, guid }),
    // The dialog shows its own.
    onError: (fault, sure) => !sure && toast({ text: faultText(fault, words.repeatFailed) }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['conversations'] }),
  })
  if (message.guid === null || isSuccess) return null
  if (message.state === 'failed') {
    return (
      <LineButton disabled={gone || isPending} onClick={() => mutate(false)}>
        {words.repeat}
      </LineButton>
    )
  }
  if (message.state !== 'uncertain') return null
  return (
    <>
      <button
        type="button"
        aria-label={words.repeatUncertain}
        title={words.repeatUncertain}
        aria-haspopup="dialog"
        onClick={() => setAsks(true)}
        className="grid size-6 place-items-center rounded-sm hover:bg-off-bg max-md:size-11"
      >
        <Ellipsis className="size-4" aria-hidden="true" />
      </button>
      <Suspense>
        {asks && <RepeatDialog repeat={() => mutateAsync(true)} onClose={() => setAsks(false)} />}
      </Suspense>
    </>
  )
}

/** What can be done with a message that waits: send it by another device, or cancel it. */
export function WaitActions({
  of,
  message,
  onReroute,
}: {
  of: ConversationRef
  message: ConversationMessage
  onReroute: (message: SentMessage) => void
}) {
  const client = useQueryClient()
  const gone = useServerGone()
  const { mutate, isPending } = useMutation({
    mutationKey: ['conversations', 'discard'],
    mutationFn: (guid: string) => discard(of, guid),
    onSuccess: (certain) => !certain && toast({ text: words.asked }),
    onError: (fault) => toast({ text: faultText(fault, words.cancelFailed) }),
    onSettled: () => client.invalidateQueries({ queryKey: ['conversations'] }),
  })
  const { guid } = message
  if (guid === null) return null
  return (
    <p className="mt-1 flex gap-4">
      <LineButton disabled={gone} onClick={() => onReroute({ ...message, guid })}>
        {words.reroute}
      </LineButton>
      <LineButton disabled={gone || isPending} onClick={() => mutate(guid)}>
        {words.cancel}
      </LineButton>
    </p>
  )
}
