import type { Duty } from '@sdd/contract/core/route.ts'
import { readSession } from '#console/core/session.ts'

const duties: Record<string, Duty> = {
  password_change_required: 'password_change',
  second_factor_setup_required: 'second_factor_setup',
}

/** What the user of this session has to do before the server opens anything else to them. */
let known: { token: string; duty: Duty } | undefined
/** When the last one was done: answers to calls from before say nothing any more. */
let doneAt_ms = 0
const listeners = new Set<() => void>()

export function readDuty(): Duty | undefined {
  return known?.token === readSession()?.token ? known?.duty : undefined
}

/** Notes what a refusal says, of a call with this token that was made at `askedAt_ms` (`performance.now()`). */
export function noteDuty(code: string | undefined, token: string, askedAt_ms: number): void {
  const duty = duties[code ?? '']
  if (duty === undefined || askedAt_ms < doneAt_ms || token !== readSession()?.token) return
  if (readDuty() === duty) return
  known = { token, duty }
  for (const listener of listeners) listener()
}

/** The user did it. */
export function dutyDone(): void {
  known = undefined
  doneAt_ms = performance.now()
}

/** Hears when something is to be done first; returns an unsubscribe function. */
export function whenDuty(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
