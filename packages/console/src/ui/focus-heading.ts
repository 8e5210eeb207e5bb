/** Moves the focus to the screen's heading, so that a screen reader reads the new screen. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1[tabindex]')?.focus({ preventScroll: true })
}
