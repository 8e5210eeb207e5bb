import { type Log, openThrottledLog } from '#mqtt/log.ts'
import { openSession, type Session, type SessionNeeds } from './session.ts'

/** A connection to the broker that reconnects whenever it ends. */
export type Link = {
  /**
   * Resolves once connected. Rejects with the latest reason if that takes longer than `within_ms`, or at once if the
   * broker refused. It keeps trying in either case.
   */
  ready(within_ms: number): Promise<void>
  connected(): boolean
  /** Publishes with QoS 1. False if not connected, or if too many messages are queued. */
  send(topic: string, payload: string): boolean
  /** Publishes with QoS 0. False if not connected. */
  tell(topic: string, payload: string): boolean
  /** Disconnects. The broker keeps messages for this long; with 0 it drops the session. */
  stop(keep_secs: number): Promise<void>
}

export type LinkNeeds = Omit<SessionNeeds, 'ended' | 'take'> & {
  log: Log
  /** Like a session's `take`. `over` returns true once that session has ended: an acknowledgement is then useless. */
  take(topic: string, payload: Buffer, over: () => boolean): Promise<void>
  /** Called when everything is subscribed. If it rejects, the connection ends and is made again. */
  opened?: () => Promise<void> | void
  /** Called when the connection is lost. */
  lost?: () => void
}

/** The pause between tries is random up to a limit that doubles, so that servers reconnect one by one. */
const FIRST_MS = 500
const MOST_MS = 10_000

export function startLink(needs: LinkNeeds): Link {
  const { log, client_id, opened } = needs
  const first = Promise.withResolvers<void>()
  let why_not = 'it does not answer'
  const throttledLog = openThrottledLog()
  first.promise.catch(() => {}) // reported by `ready`
  let most_ms = FIRST_MS
  let session: Session | undefined
  let connected = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  connect()

  function connect(): void {
    let over = false
    const mine = openSession({
      ...needs,
      take: (topic, payload) => needs.take(topic, payload, () => over),
      ended(why, refused) {
        over = true
        if (session !== mine) return
        if (refused) first.reject(new Error(why))
        lost(why)
      },
    })
    session = mine
    void mine.opened.then(
      async ({ kept }) => {
        try {
          connected = true
          await opened?.()
          if (session !== mine) return
          most_ms = FIRST_MS
          log.info({ client_id, kept }, 'Connected to the broker')
          first.resolve()
        } catch (error) {
          mine.cut((error as Error).message)
        }
      },
      () => {},
    ) // reported by `ended`
  }

  function lost(why: string): void {
    session = undefined
    connected = false
    why_not = why
    needs.lost?.()
    if (stopped) return
    const { level, unsaid } = throttledLog('lost')
    log[level === 'info' ? 'warn' : 'debug']({ client_id, why, unsaid }, 'Not connected to the broker')
    timer = setTimeout(connect, Math.random() * most_ms)
    most_ms = Math.min(MOST_MS, most_ms * 2)
  }

  return {
    async ready(within_ms) {
      const late = Promise.withResolvers<void>()
      const timeout = setTimeout(() => late.reject(new Error(why_not)), within_ms)
      await Promise.race([first.promise, late.promise]).finally(() => clearTimeout(timeout))
    },
    connected: () => connected,
    send: (topic, payload) => connected && session!.send(topic, payload),
    tell(topic, payload) {
      if (connected) session!.tell(topic, payload)
      return connected
    },
    async stop(keep_secs) {
      stopped = true
      clearTimeout(timer)
      await session?.leave(keep_secs)
    },
  }
}
