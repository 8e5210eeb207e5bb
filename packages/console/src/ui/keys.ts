import { useEffect, useEffectEvent } from 'react'

const PREFERENCE = 'shortcuts'

/** Single keys can be switched off, as WCAG 2.1.4 asks for. */
export function shortcutsOn(): boolean {
  return localStorage.getItem(PREFERENCE) !== 'off'
}

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(PREFERENCE)
  else localStorage.setItem(PREFERENCE, 'off')
}

/**
 * Single-key shortcuts of what is on screen. Silent while somebody types, with a modifier, and while a modal is open;
 * Escape alone works from inside a field and when they are switched off.
 */
export function useKeys(keys: Record<string, ((event: KeyboardEvent) => void) | undefined>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key]
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (document.querySelector('[role="dialog"]')) return
    if (event.key !== 'Escape' && (!shortcutsOn() || isTyping(event.target))) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  )
}
