import { readUser } from '@sdd/contract/accounts/users.ts'
import { CallFault } from '@sdd/contract/core/client.ts'
import { callApi } from '#console/core/api.ts'
import { openConnection, type Connection, type ConnectionSpec } from '#console/core/live/connection.ts'
import type { Live } from '#console/core/live/live.ts'
import { watchServer } from '#console/core/live/server-watch.ts'
import { noteServerGone } from '#console/core/server-gone.ts'
import { readSession } from '#console/core/session.ts'

const NO_SERVER = [0, 502, 503, 504]
const ANSWER_MS = 5_000

/**
 * The live connection, with a watch of the server while it is away. They are loaded together: a watch that is loaded
 * after the connection may find no server to load it from.
 */
export function openWatched(live: Live, spec: Omit<ConnectionSpec, 'refused'>): Connection {
  const stopWatch = watchServer(live, { answers: serverAnswers, gone: noteServerGone })
  const connection = openConnection({ ...spec, refused: () => void checkSession() })
  return {
    ...connection,
    stop() {
      stopWatch()
      connection.stop()
    },
  }
}

/** A 401 ends the session here, and anything else is left to the back-off. */
async function checkSession(): Promise<void> {
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
