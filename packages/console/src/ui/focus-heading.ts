/**
 * Moves the focus to the screen's heading, so that a screen reader reads the new screen. A field of that screen that has
 * the focus already keeps it.
 */
export function focusHeading(): void {
  if (document.activeElement?.matches('main :is(input, textarea, select)')) return
  document.querySelector<HTMLElement>('main h1[tabindex]')?.focus({ preventScroll: true })
}
