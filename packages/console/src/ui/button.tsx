import type { ComponentProps } from 'react'
import { useGoneLook } from '#console/core/server-gone.ts'

type Look = {
  tone?: 'primary' | 'plain' | 'ghost'
  size?: 'sm' | 'md' | 'lg'
  /** A square button for one icon. */
  square?: boolean
}

type Effect = {
  /** It sends or changes something, or opens a dialog that does. Disabled, with the reason, while the server is gone. */
  needsServer?: boolean
}

export function Button({
  tone,
  size,
  square,
  className = '',
  type = 'button',
  needsServer = false,
  ...rest
}: ComponentProps<'button'> & Look & Effect) {
  const gone = useGoneLook()
  return (
    <button
      type={type}
      className={`${buttonLook({ tone, size, square })} ${className}`}
      {...rest}
      {...(needsServer && gone)}
    />
  )
}

/** The classes for a link that looks like a button. */
export function buttonLook({ tone = 'plain', size = 'md', square = false }: Look = {}): string {
  return `${base} ${tones[tone]} ${square ? squares[size] : sizes[size]}`
}

const base =
  'inline-flex shrink-0 items-center justify-center gap-[7px] rounded-sm border whitespace-nowrap transition-colors duration-100 disabled:cursor-not-allowed aria-disabled:cursor-not-allowed aria-disabled:opacity-60'

const tones = {
  primary:
    'border-primary bg-primary font-semibold text-on-primary hover:not-disabled:opacity-90 disabled:border-line-strong disabled:bg-off-bg disabled:text-off',
  plain:
    'border-line bg-panel font-medium text-ink hover:not-disabled:border-line-strong disabled:border-dashed disabled:bg-transparent disabled:text-faint',
  ghost: 'border-transparent bg-transparent font-medium text-inherit hover:not-disabled:bg-off-bg/50',
}

const sizes = {
  sm: 'h-7 px-2.5 text-sm max-md:h-11 max-md:px-3.5 max-md:text-md',
  md: 'h-[34px] px-3 max-md:h-11',
  lg: 'h-11 px-4 text-lg',
}

const squares = { sm: 'size-7 max-md:size-11', md: 'size-[34px] max-md:size-11', lg: 'size-11' }
