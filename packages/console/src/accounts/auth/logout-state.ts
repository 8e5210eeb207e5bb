import { logout } from '@sdd/contract/accounts/auth.ts'
import { readSession } from '#console/core/session.ts'

/**
 * Prefix of the localStorage keys of tokens whose logout the server has not confirmed. The value is the time of logout.
 */
const PREFIX = 'session_to_end:'
/** The longest life of a session. Older tokens are dropped. */
const LONGEST_MS = 30 * 86_400_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 5 * 60_000
/** Time limit for one request. */
const PATIENCE_MS = 15_000

/** `late`: the server has not confirmed a logout yet; `done`: it has confirmed a late one. */
export type LogoutState = 'none' | 'late' | 'done'

const state = {
  ending: 'none' as LogoutState,
  asking: false,
  pause_ms: FIRST_PAUSE_MS,
  timer: undefined as number | undefined,
}
const listeners = new Set<() => void>()

/** Asks the server to end this session until it confirms. Continues after a reload and in other tabs. */
export function endOnServer(token: string): void {
  localStorage.setItem(PREFIX + token, String(Date.now()))
  clearConfirmedLogout()
  void askAll()
}

/** Retries unconfirmed logouts for the life of the page. */
export function startLogoutRetries(): void {
  window.addEventListener('online', () => {
    state.pause_ms = FIRST_PAUSE_MS
    void askAll()
  })
  window.addEventListener('storage', ({ key }) => {
    if (key?.startsWith(PREFIX)) void askAll()
  })
  // A previous page already tried.
  if (tokensToEnd().length > 0) note('late')
  void askAll()
}

export function readLogoutState(): LogoutState {
  return state.ending
}

/** Clears the `done` state when somebody signs in or leaves the page. */
export function clearConfirmedLogout(): void {
  if (state.ending === 'done') note('none')
}

/** Calls the listener when the state changes; returns an unsubscribe function. */
export function whenLogoutStateChanges(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function askAll(): Promise<void> {
  if (state.asking) return
  state.asking = true
  clearTimeout(state.timer)
  const failed = new Set<string>()
  // Looked up each time, as another tab can add a token meanwhile.
  for (let token; (token = tokensToEnd().find((one) => !failed.has(one)));) {
    if (await isEnded(token)) localStorage.removeItem(PREFIX + token)
    else failed.add(token)
  }
  state.asking = false
  if (failed.size === 0) {
    state.pause_ms = FIRST_PAUSE_MS
    if (state.ending === 'late') note(readSession() ? 'none' : 'done')
  } else {
    note('late')
    state.timer = window.setTimeout(() => void askAll(), state.pause_ms)
    state.pause_ms = Math.min(state.pause_ms * 2, LONGEST_PAUSE_MS)
  }
}

/** Asks the server to end the session. A 401 means it had already ended. */
async function isEnded(token: string): Promise<boolean> {
  try {
    const { ok, status } = await fetch(logout.path, {
      method: logout.method,
      headers: { authorization: `Bearer ${token}` },
      // The page may be closed at once; `keepalive` lets the request outlive it.
      keepalive: true,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return ok || status === 401
  } catch {
    return false
  }
}

/** Tokens whose sessions may still be open. Drops the others. */
function tokensToEnd(): string[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
  for (const key of keys) {
    const since_ms = Number(localStorage.getItem(key))
    if (!(Date.now() - since_ms < LONGEST_MS)) localStorage.removeItem(key)
  }
  return keys.filter((key) => localStorage.getItem(key) !== null).map((key) => key.slice(PREFIX.length))
}

function note(ending: LogoutState): void {
  if (ending === state.ending) return
  state.ending = ending
  for (const listener of listeners) listener()
}
