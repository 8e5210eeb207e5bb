import type { QueryClient } from '@tanstack/react-query'
import type { Live } from '#console/core/live/live.ts'
import { alertOnDisconnect } from './alert-on-disconnect.ts'
import { alertOnFailure } from './alert-on-failure.ts'
import { alertOnSms } from './alert-on-sms.ts'

/** Notifies through the system if the user asked for it. */
export function startWatches(live: Live, client: QueryClient): () => void {
  const stops = [alertOnDisconnect(live), alertOnFailure(live), alertOnSms(client)]
  return () => {
    for (const stop of stops) stop()
  }
}
