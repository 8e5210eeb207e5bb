import { useSyncExternalStore } from 'react'
import { openListeners } from '#console/core/listeners.ts'

export type Theme = 'system' | 'light' | 'dark'

const PREFERENCE = 'theme'
const { listen, tell } = openListeners()

/** The chosen theme. `public/theme.js` applies it before the first paint. */
export function useTheme(): Theme {
  return useSyncExternalStore(listen, read)
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
  tell()
}

function read(): Theme {
  const theme = localStorage.getItem(PREFERENCE)
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}
