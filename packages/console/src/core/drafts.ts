import { readSession } from '#console/core/session.ts'

const PREFIX = 'draft '

/**
 * What the signed-in user has typed but not sent, by the name of the form, until this tab is closed or the user logs
 * out. It survives an expired session, and other users of the tab do not see it.
 */
export function readDraft(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null')
  } catch {
    return null
  }
}

/** Keeps the draft; without one, forgets it. */
export function keepDraft(name: string, draft: object | undefined): void {
  if (!draft) return sessionStorage.removeItem(keyOf(name))
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft))
  } catch {
    // The browser has no room, or forbids it: the form works without.
  }
}

/** Forgets the drafts of every user of this tab. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}

function keyOf(name: string): string {
  return `${PREFIX}${readSession()?.userId ?? ''} ${name}`
}
