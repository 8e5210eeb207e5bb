import { useEffect, useEffectEvent } from 'react'

const PREFERENCE = 'shortcuts'

/** Single keys can be switched off, as WCAG 2.1.4 requires. */
export function shortcutsOn(): boolean {
  return localStorage.getItem(PREFERENCE) !== 'off'
}

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(PREFERENCE)
  else localStorage.setItem(PREFERENCE, 'off')
}

/**
 * Single-key shortcuts of the current screen, such as `j` or `Shift+ArrowDown`. Ignored while the user types, with a
 * modifier, and while a modal is open. Escape also works inside a field and when shortcuts are switched off.
 */
export function useKeys(keys: Record<string, ((event: KeyboardEvent) => void) | undefined>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key]
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    // The key belongs to a letter that is being composed, as in Japanese.
    if (event.isComposing || modalOpen()) return
    if (event.key !== 'Escape' && (!shortcutsOn() || isTyping(event.target))) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

/** The down arrow in a search field calls `enter`, which moves the focus into the list. No single key: it always works. */
export function useSearchExit(enter: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, isComposing } = event
    if (key !== 'ArrowDown' || isComposing || modalOpen()) return
    if (!(target instanceof Element) || !target.matches('[type=search]')) return
    event.preventDefault()
    enter()
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

/** After `g`, the second key must follow within this time, in ms. */
const JUMP_MS = 1_500

/** Two keys in a row: `g` and the letter of a jump. The second key does nothing else. */
export function useJumps(jumps: Record<string, () => void>): void {
  const jump = useEffectEvent((letter: string) => jumps[letter])
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY
    function press(event: KeyboardEvent): void {
      const { key, target, timeStamp } = event
      if (event.ctrlKey || event.metaKey || event.altKey || !shortcutsOn()) return
      if (isTyping(target) || modalOpen()) return
      const act = timeStamp - startedAt < JUMP_MS ? jump(key) : undefined
      startedAt = key === 'g' && !act ? timeStamp : Number.NEGATIVE_INFINITY
      if (!act) return
      event.preventDefault()
      event.stopPropagation()
      act()
    }
    // Before the shortcuts of the screen, which must not take the second key.
    document.addEventListener('keydown', press, { capture: true })
    return () => document.removeEventListener('keydown', press, { capture: true })
  }, [])
}

/** Ctrl or Cmd with a letter, wherever the focus is. */
export function useCommandKey(letter: string, act: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const plain = event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey
    if (!plain || event.key.toLowerCase() !== letter) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
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
