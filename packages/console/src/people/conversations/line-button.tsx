import type { ComponentProps } from 'react'

/** A button that looks like a link, in a line of text. */
export function LineButton(props: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className="shrink-0 font-semibold text-link underline underline-offset-2 disabled:text-off disabled:no-underline max-md:min-h-11"
      {...props}
    />
  )
}
