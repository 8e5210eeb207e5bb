import { Role } from '@sdd/contract/core/roles.ts'
import { openListeners } from '#console/core/listeners.ts'

type Session = {
  token: string
  role: Role
  userId: number | undefined
  /** The language of the user's account, unchecked. */
  language: string | null
}

const keys = { token: 'token', role: 'role', userId: 'user_id', language: 'user_language' } as const

/** The signed-in user from local storage. An unknown role counts as the lowest. */
export function readSession(): Session | undefined {
  const token = localStorage.getItem(keys.token)
  if (!token) return undefined
  const role = Role.safeParse(localStorage.getItem(keys.role))
  const userId = Number(localStorage.getItem(keys.userId) ?? Number.NaN)
  return {
    token,
    role: role.success ? role.data : 'user',
    userId: Number.isInteger(userId) ? userId : undefined,
    language: localStorage.getItem(keys.language),
  }
}

export function saveSession(session: {
  access_token: string
  role: string
  id: number | string
  language?: string | null
}): void {
  localStorage.setItem(keys.token, session.access_token)
  localStorage.setItem(keys.role, session.role)
  localStorage.setItem(keys.userId, String(session.id))
  saveLanguage(session.language)
}

export function saveLanguage(language: string | null | undefined): void {
  if (language) localStorage.setItem(keys.language, language)
  else localStorage.removeItem(keys.language)
}

const onRole = openListeners()

export function saveRole(role: string): void {
  localStorage.setItem(keys.role, role)
  onRole.tell()
}

/** Calls the listener when the role changes in this tab or another; returns an unsubscribe function. */
export function whenRoleChanged(listener: () => void): () => void {
  const elsewhere = ({ key }: StorageEvent) => key === keys.role && listener()
  const stop = onRole.listen(listener)
  window.addEventListener('storage', elsewhere)
  return () => {
    stop()
    window.removeEventListener('storage', elsewhere)
  }
}

export function clearSession(): void {
  for (const key of Object.values(keys)) localStorage.removeItem(key)
}

const onExpired = openListeners()

/** Calls the listener when the server refuses the token; returns an unsubscribe function. */
export const whenExpired = onExpired.listen

/** Calls the listener when another tab changes one of these keys of the local storage. */
export function whenStored(names: readonly string[], listener: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key !== null && names.includes(key)) listener()
  })
}

/** Calls the first when another tab ends the session, and the second when somebody else signs in there. */
export function whenUserChangesElsewhere(signedOut: () => void, other: () => void): void {
  window.addEventListener('storage', ({ key, oldValue, newValue }) => {
    if (key === keys.token && newValue === null) signedOut()
    if (key === keys.userId && oldValue !== null && newValue !== null && newValue !== oldValue) other()
  })
}

/** Ends the session with this token. A late answer to a call of an earlier session ends nothing. */
export function expireSession(token: string): void {
  if (localStorage.getItem(keys.token) !== token) return
  clearSession()
  onExpired.tell()
}
