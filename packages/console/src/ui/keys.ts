import { useEffectEvent, useLayoutEffect, useRef } from 'react'

const PREFERENCE = 'shortcuts'

/** Single keys can be switched off, as WCAG 2.1.4 requires. */
export function shortcutsOn(): boolean {
  return localStorage.getItem(PREFERENCE) !== 'off'
}

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(PREFERENCE)
  else localStorage.setItem(PREFERENCE, 'off')
}

/** Listens from the moment that the screen is drawn: in a passive effect, a key that is pressed at once would be lost. */
export function useKeydown(press: (event: KeyboardEvent) => void, capture = false): void {
  const pressed = useEffectEvent(press)
  useLayoutEffect(() => {
    document.addEventListener('keydown', pressed, capture)
    return () => document.removeEventListener('keydown', pressed, capture)
  }, [capture])
}

/**
 * Single-key shortcuts of the current screen, such as `j` or `Shift+ArrowDown`. Ignored while the user types, with a
 * modifier, and while a modal is open. Escape also works inside a field and when shortcuts are switched off.
 */
export function useKeys(keys: Record<string, ((event: KeyboardEvent) => void) | undefined>): void {
  useKeydown((event) => {
    const act = keys[event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key]
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    // The key belongs to a letter that is being composed, as in Japanese.
    if (event.isComposing || modalOpen()) return
    if (event.key !== 'Escape' && (!shortcutsOn() || isTyping(event.target))) return
    event.preventDefault()
    act(event)
  })
}

/** The down arrow in a search field calls `enter`, which moves the focus into the list. No single key: it always works. */
export function useSearchExit(enter: () => void): void {
  useKeydown((event) => {
    const { key, target, isComposing } = event
    if (key !== 'ArrowDown' || isComposing || modalOpen()) return
    if (!(target instanceof Element) || !target.matches('[type=search]')) return
    event.preventDefault()
    enter()
  })
}

/** After `g`, the second key must follow within this time, in ms. */
const JUMP_MS = 1_500

/** Two keys in a row: `g` and the letter of a jump. The second key does nothing else. */
export function useJumps(jumps: Record<string, () => void>): void {
  const startedAt = useRef(Number.NEGATIVE_INFINITY)
  useKeydown((event) => {
    const { key, target, timeStamp } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !shortcutsOn()) return
    if (isTyping(target) || modalOpen()) return
    const act = timeStamp - startedAt.current < JUMP_MS ? jumps[key] : undefined
    startedAt.current = key === 'g' && !act ? timeStamp : Number.NEGATIVE_INFINITY
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
    // Before the shortcuts of the screen, which must not take the second key.
  }, true)
}

/** Ctrl or Cmd with a letter, wherever the focus is. */
export function useCommandKey(letter: string, act: () => void): void {
  useKeydown((event) => {
    const plain = event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey
    if (!plain || event.key.toLowerCase() !== letter) return
    event.preventDefault()
    act()
  })
}

/** `⌘ K` on Apple systems, `Ctrl K` elsewhere. */
export function commandKey(letter: string): string {
  return `${/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'} ${letter.toUpperCase()}`
}

export function modalOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  )
}
