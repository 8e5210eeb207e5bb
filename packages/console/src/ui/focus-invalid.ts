import type { RefObject } from 'react'

/** Takes the focus to the first field of a form that was found invalid, once its error is drawn. */
export function focusInvalid(form: RefObject<HTMLElement | null>): void {
  requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
}
