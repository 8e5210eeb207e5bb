import { openListeners } from '#console/core/listeners.ts'

/**
 * Prefix of the localStorage keys of tokens whose logout the server has not confirmed. The value is the time of logout.
 */
export const PREFIX = 'session_to_end:'
/** The longest life of a session. Older tokens are dropped. */
const LONGEST_MS = 30 * 86_400_000

/** `late`: the server has not confirmed a logout yet; `done`: it has confirmed a late one. */
export type LogoutState = 'none' | 'late' | 'done'

let ending: LogoutState = 'none'
const { listen, tell } = openListeners()

/** Retries unconfirmed logouts for the life of the page. `load` loads the code for it, only if there is one. */
export function startLogoutRetries(load: () => Promise<{ endSessions(): void }>): void {
  const retry = () => retryWith(load)
  window.addEventListener('online', retry)
  window.addEventListener('storage', ({ key }) => {
    if (key?.startsWith(PREFIX)) retry()
  })
  // A previous page already tried.
  if (tokensToEnd().length > 0) noteLogout('late')
  retry()
}

function retryWith(load: () => Promise<{ endSessions(): void }>): void {
  // It also notices that another tab has ended the last one.
  if (tokensToEnd().length === 0 && ending !== 'late') return
  load().then(
    ({ endSessions }) => endSessions(),
    // Without a network. It is tried again with the next event.
    () => undefined,
  )
}

export function readLogoutState(): LogoutState {
  return ending
}

/** Clears the `done` state when somebody signs in or leaves the page. */
export function clearConfirmedLogout(): void {
  if (ending === 'done') noteLogout('none')
}

/** Calls the listener when the state changes; returns an unsubscribe function. */
export const whenLogoutStateChanges = listen

export function noteLogout(next: LogoutState): void {
  if (next === ending) return
  ending = next
  tell()
}

/** Tokens whose sessions may still be open. Drops the others. */
export function tokensToEnd(): string[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
  for (const key of keys) {
    const since_ms = Number(localStorage.getItem(key))
    if (!(Date.now() - since_ms < LONGEST_MS)) localStorage.removeItem(key)
  }
  return keys.filter((key) => localStorage.getItem(key) !== null).map((key) => key.slice(PREFIX.length))
}
