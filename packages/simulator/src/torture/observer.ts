import { setTimeout as sleep } from 'node:timers/promises'
import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { openForward } from './forward.ts'

export type Observer = {
  /** One sentence for each violation. */
  readonly faults: readonly string[]
  seen(): { entries: number; looks: number }
  stop(): Promise<void>
}

type Needs = {
  server_url: string
  token: string
  /** Since when the server has been ready, in ms since 1970; `undefined` while it is not. */
  readyAt: () => number | undefined
  /** The pause between two reads; 400 ms if absent. */
  every_ms?: number | undefined
}

/** No answer, or a balancer's answer for a server that died meanwhile. */
const UNANSWERED: ReadonlySet<number> = new Set([0, 502, 503, 504])
const EVERY_MS = 400
const NEWEST = 200
const PAGE = 500

/**
 * Reads the log all the time, like a user who watches it: each time the newest entries, and one page of the older ones.
 * Two readings of a message must agree.
 */
export function startObserver({ server_url, token, readyAt, every_ms = EVERY_MS }: Needs): Observer {
  const { call } = openClient({ url: server_url, token })
  const forward = openForward()
  const faults: string[] = []
  let stopped = false
  let cursor: string | undefined

  async function look(): Promise<void> {
    await read(NEWEST, undefined)
    cursor = (await read(PAGE, cursor)) ?? undefined
  }

  async function read(limit: number, from: string | undefined): Promise<string | null | undefined> {
    const ready_at = readyAt()
    if (ready_at === undefined) return from
    const page = await call(listLogs, { query: { limit: String(limit), cursor: from } }).catch((fault) => {
      if (fault instanceof CallFault && UNANSWERED.has(fault.status)) return undefined
      throw fault
    })
    // An answer sent before a kill can arrive after the next start, so it is ignored.
    if (page === undefined || readyAt() !== ready_at) return from
    for (const entry of page.logs) faults.push(...forward.see(entry, { at: Date.now(), ready_at }))
    return page.next_cursor
  }

  async function watch(): Promise<void> {
    while (!stopped) {
      await look()
      await sleep(every_ms)
    }
  }

  const watching = watch().catch(
    (fault: Error) => void faults.push(`The log cannot be read: ${fault.message}`),
  )
  return {
    faults,
    seen: forward.seen,
    async stop() {
      stopped = true
      await watching
    },
  }
}
