import { Role } from '@sdd/contract/core/roles.ts'

type Session = { token: string; role: Role; userId: number | undefined }

const keys = { token: 'token', role: 'role', userId: 'user_id' } as const

/** The signed-in user, as local storage has it; a role it does not know counts as the least. */
export function readSession(): Session | undefined {
  const token = localStorage.getItem(keys.token)
  if (!token) return undefined
  const role = Role.safeParse(localStorage.getItem(keys.role))
  const userId = Number(localStorage.getItem(keys.userId) ?? Number.NaN)
  return {
    token,
    role: role.success ? role.data : 'user',
    userId: Number.isInteger(userId) ? userId : undefined,
  }
}

export function saveSession(session: { access_token: string; role: string; id: number | string }): void {
  localStorage.setItem(keys.token, session.access_token)
  localStorage.setItem(keys.role, session.role)
  localStorage.setItem(keys.userId, String(session.id))
}

const onRole = new Set<() => void>()

/** The signed-in user's role has become another. */
export function saveRole(role: string): void {
  localStorage.setItem(keys.role, role)
  for (const listener of onRole) listener()
}

/** Hears of another role, of this tab's or of another's doing; returns how to stop hearing. */
export function whenRoleChanged(listener: () => void): () => void {
  const elsewhere = ({ key }: StorageEvent) => key === keys.role && listener()
  onRole.add(listener)
  window.addEventListener('storage', elsewhere)
  return () => {
    onRole.delete(listener)
    window.removeEventListener('storage', elsewhere)
  }
}

export function clearSession(): void {
  for (const key of Object.values(keys)) localStorage.removeItem(key)
}

const onExpired = new Set<() => void>()

/** Hears when the server no longer takes the token; returns how to stop hearing. */
export function whenExpired(listener: () => void): () => void {
  onExpired.add(listener)
  return () => onExpired.delete(listener)
}

/** Hears that another tab ended the session. */
export function whenSignedOutElsewhere(listener: () => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === keys.token && newValue === null) listener()
  })
}

/** Ends the session of this token. A late answer to an earlier session's call ends nothing. */
export function expireSession(token: string): void {
  if (localStorage.getItem(keys.token) !== token) return
  clearSession()
  for (const listener of onExpired) listener()
}
