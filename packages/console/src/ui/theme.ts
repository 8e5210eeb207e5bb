import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const PREFERENCE = 'theme'
const listeners = new Set<() => void>()

/** The chosen theme. `public/theme.js` applies it before the first paint. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, read)
}

export function setTheme(theme: Theme): void {
  const root = document.documentElement
  if (theme === 'system') {
    localStorage.removeItem(PREFERENCE)
    delete root.dataset.theme
  } else {
    localStorage.setItem(PREFERENCE, theme)
    root.dataset.theme = theme
  }
  for (const listener of listeners) listener()
}

function read(): Theme {
  const theme = localStorage.getItem(PREFERENCE)
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
