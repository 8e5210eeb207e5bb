import { useId, type ReactNode } from 'react'
import { globalSettings as words } from './global-text.ts'

type SwitchProps = {
  label: string
  on: boolean
  disabled: boolean
  hint: ReactNode
  onChange: (on: boolean) => void
}

/** A switch without the words 'Yes' and 'No', which belong to the specified switch only. */
export function Check({ label, on, disabled, hint, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label className="flex w-fit min-h-9 items-center gap-2.5 font-semibold max-md:min-h-11">
        <input
          type="checkbox"
          className="size-[22px] shrink-0"
          checked={on}
          disabled={disabled}
          aria-describedby={`${id}-hint`}
          onChange={() => onChange(!on)}
        />
        {label}
      </label>
      <output id={`${id}-hint`} className="text-sm text-warn">
        {hint}
      </output>
    </div>
  )
}

/** The specified switch. */
export function Switch({ label, on, disabled, hint, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="w-fit font-semibold">
        {label}
      </label>
      {/* A second label, so that the word is a target too. Its name is that of the first. */}
      <label className="flex min-h-9 w-fit min-w-11 items-center gap-2.5 max-md:min-h-11">
        <input
          id={id}
          type="checkbox"
          className="size-[22px]"
          checked={on}
          disabled={disabled}
          aria-describedby={`${id}-hint`}
          onChange={() => onChange(!on)}
        />
        <span aria-hidden="true" className="font-medium">
          {on ? words.yes : words.no}
        </span>
      </label>
      <output id={`${id}-hint`} className="text-sm text-warn">
        {hint}
      </output>
    </div>
  )
}
