import type { ComponentProps, ReactNode } from 'react'
import { useId } from 'react'

/** A box around an input: the box shows the focus. */
export const boxLook =
  'flex min-w-0 items-center gap-2 rounded-sm border border-line-strong bg-panel has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-offset-1 has-[:focus-visible]:outline-focus'

export const inputLook = 'min-w-0 flex-1 bg-transparent outline-none'

/** A label over its control; `children` gets the id to carry. */
export function Field({
  label,
  hint,
  children,
  className = '',
}: {
  label: string
  hint?: ReactNode
  children: (ids: { id: string; 'aria-describedby': string | undefined }) => ReactNode
  className?: string
}) {
  const id = useId()
  const hintId = hint ? `${id}-hint` : undefined
  return (
    <div className={`flex min-w-0 flex-col gap-1.5 ${className}`}>
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {children({ id, 'aria-describedby': hintId })}
      {hint && (
        <div id={hintId} className="text-sm text-muted">
          {hint}
        </div>
      )}
    </div>
  )
}

export function TextInput({
  className = '',
  tall = false,
  ...rest
}: ComponentProps<'input'> & { tall?: boolean }) {
  return (
    <span className={`${boxLook} px-2.5 ${tall ? 'h-11 text-lg' : 'h-[34px] max-md:h-11'} ${className}`}>
      <input className={`h-full ${inputLook}`} {...rest} />
    </span>
  )
}

export function Select({
  className = '',
  tall = false,
  ...rest
}: ComponentProps<'select'> & { tall?: boolean }) {
  const height = tall ? 'h-11 text-lg' : 'h-[34px] max-md:h-11'
  return (
    <select
      className={`min-w-0 rounded-sm border border-line-strong bg-panel px-2 focus-visible:outline-offset-1 ${height} ${className}`}
      {...rest}
    />
  )
}

export const kbdLook =
  'rounded-[3px] border border-b-2 border-line bg-sunken px-1.5 font-mono text-xs leading-4 text-muted'
