import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { whichOf } from '#console/messages/messages/which.ts'
import { tasks as words } from './text.ts'
import { discard, isOpen, stateOf, type Task } from '#console/tasks/tasks.ts'
import { Button } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'

type Step = 'idle' | 'asking' | 'busy' | 'asked' | 'done'

/**
 * Takes a task back, after asking once. Where a device has it already, the device is asked to drop it: what became of
 * that shows when the task does.
 */
export function Discard({ task }: { task: Task }) {
  const queryClient = useQueryClient()
  const [step, setStep] = useState<Step>('idle')
  const [fault, setFault] = useState<string>()
  const open = isOpen(task)
  const state = stateOf(task)

  async function run(): Promise<void> {
    setStep('busy')
    setFault(undefined)
    try {
      setStep(isOpen(await discard(whichOf(task))) ? 'asked' : 'done')
    } catch (why) {
      setFault(whyOf(why, words.discardFailed))
      setStep('idle')
    }
    // Its row, and what is shown of it here; a refusal too means that it is another than it seemed.
    void queryClient.invalidateQueries({ queryKey: ['tasks'] })
    void queryClient.invalidateQueries({ queryKey: ['logs', 'message', task.guid] })
  }

  return (
    <div className="mb-4 flex flex-col gap-2.5 empty:hidden">
      {fault && <Notice tone="bad">{fault}</Notice>}
      {(step === 'done' || (step === 'asked' && state === 'discarded')) && (
        <Notice tone="ok">{words.discardedNow}</Notice>
      )}
      {step === 'asked' && open && <Notice tone="warn">{words.discardAsked}</Notice>}
      {step === 'asked' && !open && state !== 'discarded' && <Notice tone="warn">{words.discardLate}</Notice>}
      {open && step === 'idle' && (
        <Button className="self-start" onClick={() => setStep('asking')}>
          {words.discard}
        </Button>
      )}
      {open && (step === 'asking' || step === 'busy') && (
        <div className="rounded-sm border border-line-strong px-3 py-2.5">
          <p className="font-semibold">{words.discardAsk}</p>
          {state === 'started' && <p className="text-muted">{words.discardHeld}</p>}
          <p className="mt-2 flex gap-2">
            <Button
              // The focus goes on to where the button was that brought this here.
              ref={focusFirst}
              tone="primary"
              disabled={step === 'busy'}
              aria-busy={step === 'busy'}
              onClick={() => void run()}
            >
              {words.discardYes}
            </Button>
            <Button disabled={step === 'busy'} onClick={() => setStep('idle')}>
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
