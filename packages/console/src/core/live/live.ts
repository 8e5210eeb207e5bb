import { devicesStatus, frontChange, FrontChange, StatusChange } from '@sdd/contract/core/live.ts'
import type { Connection, ConnectionSpec, ConnectionState } from '#console/core/live/connection.ts'

export type LiveView = {
  state: ConnectionState
  /** When something last changed, in ms; undefined before the first change. */
  changedAt: number | undefined
  /** When the shown data became possibly stale, in ms; undefined while live. */
  staleSince: number | undefined
}

/** `start`: from the first load of the screen to the first connection. `cut`: from one connection to the next. */
export type LiveGap = 'start' | 'cut'

type OpenConnection = (live: Live, spec: Omit<ConnectionSpec, 'refused'>) => Connection

export type Live = {
  view(): LiveView
  subscribe(listener: () => void): () => void
  /** Passes the nouns of `/front/change`, or a gap without events, in which anything may have changed. */
  onChanged(listener: (change: string[] | LiveGap) => void): () => void
  onStatus(listener: (change: StatusChange) => void): () => void
  /** Connects until the returned function is called. `load` loads what opens the connection. */
  start(needs: { token(): string; load(): Promise<{ openWatched: OpenConnection }> }): () => void
}

/** The pause before the code of the connection is loaded again, if that failed. */
const RELOAD_MS = 5_000

/** The messages that the server pushes to browsers. Malformed messages are ignored. */
export function openLive(): Live {
  let view: LiveView = { state: 'connecting', changedAt: undefined, staleSince: undefined }
  const viewers = new Set<() => void>()
  const changeListeners = new Set<(change: string[] | LiveGap) => void>()
  const statusListeners = new Set<(change: StatusChange) => void>()

  function show(next: Partial<LiveView>): void {
    view = { ...view, ...next }
    for (const viewer of viewers) viewer()
  }

  function hear(topic: string, payload: string): void {
    const message = parseJson(payload)
    if (topic === devicesStatus.pattern) {
      const change = StatusChange.safeParse(message)
      if (!change.success) return
      for (const listener of statusListeners) listener(change.data)
    } else if (topic === frontChange.pattern) {
      const change = FrontChange.safeParse(message)
      // The user specification defines no payload, so any message means that the tasks changed.
      const nouns = change.success ? change.data.changed : ['tasks']
      for (const listener of changeListeners) listener(nouns)
    } else return
    show({ changedAt: Date.now() })
  }

  function moved(state: ConnectionState): void {
    if (state === view.state) return
    const wasStale = view.staleSince !== undefined
    show({ state, staleSince: state === 'live' ? undefined : (view.staleSince ?? Date.now()) })
    if (state !== 'live') return
    for (const listener of changeListeners) listener(wasStale ? 'cut' : 'start')
  }

  const live: Live = {
    view: () => view,
    subscribe: (listener) => added(viewers, listener),
    onChanged: (listener) => added(changeListeners, listener),
    onStatus: (listener) => added(statusListeners, listener),
    start({ token, load }) {
      const url = `${location.origin.replace('http', 'ws')}/mqtt`
      const topics = [devicesStatus.pattern, frontChange.pattern]
      let connection: Connection | undefined
      let waiting: ReturnType<typeof setTimeout> | undefined
      let stopped = false
      // Loaded here, as no screen needs it to be shown.
      async function open(): Promise<void> {
        try {
          const { openWatched } = await load()
          if (stopped) return
          connection ??= openWatched(live, { url, topics, password: token, hear, changed: moved })
        } catch {
          if (stopped) return
          moved('reconnecting')
          waiting = setTimeout(() => void open(), RELOAD_MS)
        }
      }
      void open()
      const nudge = () => connection?.nudge()
      const shown = () => document.visibilityState === 'visible' && connection?.nudge()
      const lost = () => connection?.lost()
      window.addEventListener('online', nudge)
      window.addEventListener('offline', lost)
      document.addEventListener('visibilitychange', shown)
      return () => {
        window.removeEventListener('online', nudge)
        window.removeEventListener('offline', lost)
        document.removeEventListener('visibilitychange', shown)
        stopped = true
        clearTimeout(waiting)
        connection?.stop()
        show({ state: 'connecting', changedAt: undefined, staleSince: undefined })
      }
    },
  }
  return live
}

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
