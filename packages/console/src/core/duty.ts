import type { Duty } from '@sdd/contract/core/route.ts'
import { openListeners } from '#console/core/listeners.ts'
import { readSession } from '#console/core/session.ts'

const duties: Record<string, Duty> = {
  password_change_required: 'password_change',
  second_factor_setup_required: 'second_factor_setup',
}

/** What the user of this session must do before the server allows anything else. */
let known: { token: string; duty: Duty } | undefined
/** When the last duty was done. Answers to earlier calls are outdated. */
let doneAt_ms = 0
const { listen, tell } = openListeners()

export function readDuty(): Duty | undefined {
  return known?.token === readSession()?.token ? known?.duty : undefined
}

/** Records the duty in a refusal. `token` and `askedAt_ms` (`performance.now()`) belong to the refused call. */
export function noteDuty(code: string | undefined, token: string, askedAt_ms: number): void {
  const duty = duties[code ?? '']
  if (duty === undefined || askedAt_ms < doneAt_ms || token !== readSession()?.token) return
  if (readDuty() === duty) return
  known = { token, duty }
  tell()
}

export function dutyDone(): void {
  known = undefined
  doneAt_ms = performance.now()
}

/** Calls the listener when a duty becomes known; returns an unsubscribe function. */
export const whenDuty = listen
