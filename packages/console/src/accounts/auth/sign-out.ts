import { logout } from '@sdd/contract/accounts/auth.ts'
import { clearConfirmedLogout, noteLogout, PREFIX, readLogoutState, tokensToEnd } from './logout-state.ts'
import { forgetDrafts } from '#console/core/drafts.ts'
import { followLanguage } from '#console/core/language-choice.ts'
import { clearSession, readSession } from '#console/core/session.ts'

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 5 * 60_000
/** Time limit for one request. */
const PATIENCE_MS = 15_000

const state = { asking: false, pause_ms: FIRST_PAUSE_MS, timer: undefined as number | undefined }

/**
 * Ends the session in the browser at once, and on the server as soon as it confirms. That continues after a reload and
 * in other tabs.
 */
export function signOut(): void {
  const session = readSession()
  forgetDrafts()
  clearSession()
  void followLanguage()
  if (!session) return
  localStorage.setItem(PREFIX + session.token, String(Date.now()))
  clearConfirmedLogout()
  void askAll()
}

/** Asks the server at once to end the sessions whose logout it has not confirmed, until it confirms them. */
export function endSessions(): void {
  state.pause_ms = FIRST_PAUSE_MS
  void askAll()
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
    if (readLogoutState() === 'late') noteLogout(readSession() ? 'none' : 'done')
  } else {
    noteLogout('late')
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
