import { UsageError } from './config.ts'
import { type LogRow, smsLine } from './lines.ts'
import type { Run } from './run.ts'

const POLL_MS = 1_000
/** The most messages whose state is remembered. */
const MOST_KNOWN = 1_000
const FIRST = 20

/** Prints the newest entries of the log, oldest first. With `--follow` also each that is new or has another state. */
export async function followLog(run: Run, lineOf: (entry: LogRow) => string): Promise<number> {
  const { sdd, options, say, signal } = run
  const first = limitOf(options, FIRST)
  // Knows more than it prints at first, so that older entries do not seem new later.
  const limit = options.follow ? MOST_KNOWN : first
  const query = { limit, state: options.state, search: options.search }
  let known: ReadonlyMap<string, string> | undefined
  for (;;) {
    const { logs } = await sdd.json<{ logs: LogRow[] }>('GET', '/api/logs/devices', { query, signal })
    for (const entry of (known ? logs : logs.slice(0, first)).toReversed())
      if (known?.get(entry.guid) !== entry.state) say(options.json ? JSON.stringify(entry) : lineOf(entry))
    known = new Map(logs.map(({ guid, state }) => [guid, state]))
    if (!options.follow || !(await pause(signal))) return 0
  }
}

/** Prints received SMS from now on. The newest id says when that is, because the clocks may differ. */
export async function followInbox({ sdd, options, say, signal }: Run): Promise<number> {
  const newest = { query: { limit: 1 }, signal }
  const { inbox } = await sdd.json<{ inbox: { id: string }[] }>('GET', '/api/inbox', newest)
  let since = inbox[0]?.id
  for (;;) {
    const fresh = []
    for await (const sms of sdd.inbox({ since, search: options.search }, { signal })) fresh.push(sms)
    for (const sms of fresh.toReversed()) say(options.json ? JSON.stringify(sms) : smsLine(sms))
    since = fresh[0]?.id ?? since
    if (!(await pause(signal))) return 0
  }
}

/** `--limit`, or the usual number. */
export function limitOf({ limit }: Run['options'], usual: number): number {
  const count = Number(limit ?? usual)
  if (!Number.isInteger(count) || count < 1) throw new UsageError('--limit is a number from 1')
  return count
}

/** False if the person has stopped it. */
function pause(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve(true)
    }, POLL_MS)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
