import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { refOf } from '#console/messages/messages/message-ref.ts'
import { tasks as words } from './text.ts'
import { requestDiscard, isDiscardable, taskStateOf, type Task } from '#console/tasks/tasks.ts'
import { Button } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'

/**
 * Discards a task after a confirmation. If a device already has the task, the server asks the device to drop it. The
 * outcome shows on the task itself.
 */
export function Discard({ task }: { task: Task }) {
  const queryClient = useQueryClient()
  const [asks, setAsks] = useState(false)
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => requestDiscard(refOf(task)),
    onSettled() {
      setAsks(false)
      // A refusal too means that the shown task is outdated.
      void queryClient.invalidateQueries({ queryKey: ['tasks'] })
      void queryClient.invalidateQueries({ queryKey: ['logs', 'message', task.guid] })
    },
  })
  const open = isDiscardable(task)
  const state = taskStateOf(task)
  const discarded = data && !isDiscardable(data)
  const asked = data && isDiscardable(data)
  const fault = error && faultText(error, words.discardFailed)

  return (
    <div className="mb-4 flex flex-col gap-2.5 empty:hidden">
      {fault && <Notice tone="bad">{fault}</Notice>}
      {(discarded || (asked && state === 'discarded')) && <Notice tone="ok">{words.discardedNow}</Notice>}
      {asked && open && <Notice tone="warn">{words.discardAsked}</Notice>}
      {asked && !open && state !== 'discarded' && <Notice tone="warn">{words.discardLate}</Notice>}
      {open && !asks && !data && (
        <Button needsServer className="self-start" onClick={() => setAsks(true)}>
          {words.discard}
        </Button>
      )}
      {open && asks && (
        <div className="rounded-sm border border-line-strong px-3 py-2.5">
          <p className="font-semibold">{words.discardAsk}</p>
          {state === 'started' && <p className="text-muted">{words.discardHeld}</p>}
          <p className="mt-2 flex gap-2">
            <Button
              needsServer
              // The focus moves here from the button that opened this question.
              ref={focusFirst}
              tone="primary"
              disabled={isPending}
              aria-busy={isPending}
              onClick={() => mutate()}
            >
              {words.discardYes}
            </Button>
            <Button disabled={isPending} onClick={() => setAsks(false)}>
              {text.cancel}
            </Button>
          </p>
        </div>
      )}
    </div>
  )
}

function focusFirst(button: HTMLButtonElement | null): void {
  button?.focus()
}
