import type { ComponentProps, ReactNode } from 'react'
import { useId } from 'react'

/** The box around an input, which shows the focus. */
export const boxLook =
  'flex min-w-0 items-center gap-2 rounded-sm border border-line-strong bg-panel has-[[aria-invalid]]:border-bad-solid has-[input:read-only]:border-line has-[input:read-only]:bg-off-bg has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-offset-1 has-[:focus-visible]:outline-focus'

export const inputLook = 'min-w-0 flex-1 bg-transparent outline-none'

/** Attributes that connect a control to its label, hint and error. */
type Ids = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** A label above its control; `children` gets the ids for the control. An error replaces the hint. */
export function Field({
  label,
  hint,
  error,
  children,
  className = '',
}: {
  label: string
  hint?: ReactNode
  /** The error; `true` if it is explained elsewhere. */
  error?: string | true
  children: (ids: Ids) => ReactNode
  className?: string
}) {
  const id = useId()
  const wrong = typeof error === 'string'
  const said = wrong ? error : hint
  const saidId = said ? `${id}-said` : undefined
  return (
    <div className={`flex min-w-0 flex-col gap-1.5 ${className}`}>
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {children({ id, 'aria-describedby': saidId, 'aria-invalid': error ? true : undefined })}
      {said && (
        <div id={saidId} className={`text-sm ${wrong ? 'font-medium text-bad' : 'text-muted'}`}>
          {said}
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
    <span
      className={`${boxLook} px-2.5 ${tall ? 'h-[46px] text-lg' : 'h-[34px] max-md:h-[46px]'} ${className}`}
    >
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
      className={`min-w-0 rounded-sm border border-line-strong bg-panel px-2 text-ink focus-visible:outline-offset-1 disabled:border-line disabled:bg-off-bg disabled:text-ink disabled:opacity-100 aria-invalid:border-bad-solid ${height} ${className}`}
      {...rest}
    />
  )
}

export const kbdLook =
  'rounded-[3px] border border-b-2 border-line bg-sunken px-1.5 font-mono text-xs leading-4 text-muted'
