import { useState, useSyncExternalStore } from 'react'
import { openListeners } from '#console/core/listeners.ts'
import { readSession } from '#console/core/session.ts'

const PREFIX = 'draft '

/** Drafts that the browser did not store. They last as long as the page. */
const unstored = new Map<string, string>()
const { listen, tell } = openListeners()

/**
 * What the signed-in user has typed but not sent, by the name of the form, until this tab is closed or the user logs
 * out. It survives an expired session, and other users of the tab do not see it.
 */
export function readDraft(name: string): unknown {
  return parse(stored(keyOf(name)))
}

/** Keeps the draft; without one, forgets it. */
export function keepDraft(name: string, draft: object | undefined): void {
  store(keyOf(name), draft)
}

/** Forgets the drafts of every user of this tab. */
export function forgetDrafts(): void {
  unstored.clear()
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}

/**
 * The draft of a form, and a function that merges a change into it. The form may be gone by then, because a call
 * outlasted it: another form of the same draft shows the change. `kept` returns undefined for an empty draft.
 */
export function useKeptDraft<Draft extends object>(
  name: string,
  { read, kept }: { read: (stored: unknown) => Draft; kept: (draft: Draft) => object | undefined },
) {
  const [key] = useState(() => keyOf(name))
  const text = useSyncExternalStore(listen, () => stored(key))

  function change(next: Partial<Draft> | ((now: Draft) => Partial<Draft>)): void {
    const now = read(parse(stored(key)))
    store(key, kept({ ...now, ...(typeof next === 'function' ? next(now) : next) }))
  }

  return { draft: read(parse(text)), change }
}

/** Empties the fields that are as they were sent. Input that was typed while they were saved stays. */
export function withoutSent<Draft extends object>(now: Draft, sent: Draft): Partial<Draft> {
  const done = Object.entries(now).filter(
    ([name, typed]) => JSON.stringify(typed) === JSON.stringify(sent[name as keyof Draft]),
  )
  return Object.fromEntries(done.map(([name]) => [name, undefined])) as Partial<Draft>
}

function stored(key: string): string | null {
  try {
    return unstored.get(key) ?? sessionStorage.getItem(key)
  } catch {
    return null
  }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

function store(key: string, draft: object | undefined): void {
  const text = JSON.stringify(draft ?? null)
  unstored.delete(key)
  try {
    if (draft) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  } catch {
    // The browser has no room, or forbids it: the form works without.
    unstored.set(key, text)
  }
  tell()
}

function keyOf(name: string): string {
  return `${PREFIX}${readSession()?.userId ?? ''} ${name}`
}
