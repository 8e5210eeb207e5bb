import type { ReactNode } from 'react'
import { newCampaign as words } from './text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'

export const stepNames = ['rows', 'text', 'check', 'when'] as const
export type StepName = (typeof stepNames)[number]
export type StepState = 'done' | 'here' | 'todo' | 'running'

const looks: Record<StepState, string> = {
  done: 'bg-ok-bg text-ok',
  here: 'bg-accent text-on-accent',
  todo: 'bg-off-bg text-off',
  running: 'bg-info-bg text-info',
}

/** One of the four steps: its mark, its title, and its result at the end of its head. */
export function Step({
  name,
  state,
  result,
  children,
}: {
  name: StepName
  state: StepState
  result?: ReactNode
  children: ReactNode
}) {
  return (
    <section
      aria-labelledby={headingOf(name)}
      className="panel flex min-w-0 flex-col gap-3 px-4 pt-3 pb-4 max-md:px-3"
    >
      <header className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <span
          aria-hidden="true"
          className={`grid size-[22px] shrink-0 place-items-center rounded-full text-sm font-bold ${looks[state]}`}
        >
          {state === 'done' ? (
            <MarkIcon mark="check" />
          ) : state === 'running' ? (
            <MarkIcon mark="arc" className="size-3 animate-spin" />
          ) : (
            stepNames.indexOf(name) + 1
          )}
        </span>
        <h2 id={headingOf(name)} tabIndex={-1} className="scroll-mt-4 font-bold outline-offset-4">
          {words.steps[name]}
          <span className="sr-only">
            {state === 'done' ? ` (${words.done})` : state === 'running' ? ` (${words.running})` : ''}
          </span>
        </h2>
        <span className="ml-auto text-sm text-muted">{result}</span>
      </header>
      {children}
    </section>
  )
}

function headingOf(name: StepName): string {
  return `step-${name}`
}

export function goToStep(name: StepName): void {
  const heading = document.getElementById(headingOf(name))
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}
