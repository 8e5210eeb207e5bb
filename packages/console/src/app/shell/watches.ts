import type { QueryClient } from '@tanstack/react-query'
import { readUser } from '@sdd/contract/accounts/users.ts'
import { CallFault } from '@sdd/contract/core/client.ts'
import { callApi } from '#console/core/api.ts'
import type { Live } from '#console/core/live/live.ts'
import { watchServer } from '#console/core/live/server-watch.ts'
import { noteServerGone } from '#console/core/server-gone.ts'
import { readSession } from '#console/core/session.ts'
import { alertOnDisconnect } from './alert-on-disconnect.ts'
import { alertOnFailure } from './alert-on-failure.ts'
import { alertOnSms } from './alert-on-sms.ts'

const NO_SERVER = [0, 502, 503, 504]
const ANSWER_MS = 5_000

/** Watches whether the server is there, and notifies through the system if the user asked for it. */
export function startWatches(live: Live, client: QueryClient): () => void {
  const stops = [
    watchServer(live, { answers: serverAnswers, gone: noteServerGone }),
    alertOnDisconnect(live),
    alertOnFailure(live),
    alertOnSms(client),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** A 401 ends the session here, and anything else is left to the back-off. */
export async function checkSession(): Promise<void> {
  await askForUser().catch(() => undefined)
}

/** Whether a call gets an answer, and not only one of a proxy whose server is gone. */
async function serverAnswers(): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const fault = await askForUser(signal).catch((fault: unknown) => fault)
  return fault === undefined || (fault instanceof CallFault && !NO_SERVER.includes(fault.status))
}

/** Any call through callApi would do. */
async function askForUser(signal?: AbortSignal): Promise<undefined> {
  const id = String(readSession()?.userId ?? 0)
  await callApi(readUser, { params: { id }, ...(signal && { signal }) }, () => undefined)
}
