import { type LogRow, smsLine } from './lines.ts'
import type { Run } from './run.ts'

const POLL_MS = 1_000
/** The most messages whose state is remembered. */
const MOST_KNOWN = 1_000
const FIRST = 20

/** Prints the newest entries of the log, oldest first. With `--follow` also each that is new or has another state. */
export async function followLog(run: Run, lineOf: (entry: LogRow) => string): Promise<number> {
  const { sdd, options, say, signal } = run
  const known = new Map<string, string>()
  const limit = String(options.limit ?? FIRST)
  const query = { limit, ...named(options, 'state'), ...named(options, 'search') }
  for (;;) {
    const answer = await sdd.request('GET', '/api/logs/devices', { query, signal })
    const { logs } = (await answer.json()) as { logs: LogRow[] }
    for (const entry of logs.toReversed()) {
      if (known.get(entry.guid) === entry.state) continue
      known.delete(entry.guid)
      known.set(entry.guid, entry.state)
      say(options.json ? JSON.stringify(entry) : lineOf(entry))
    }
    for (const guid of known.keys()) if (known.size > MOST_KNOWN) known.delete(guid)
    if (!options.follow || !(await pause(signal))) return 0
    query.limit = String(MOST_KNOWN)
  }
}

/** Prints received SMS from now on. */
export async function followInbox({ sdd, options, say, signal }: Run): Promise<number> {
  let since = new Date().toISOString()
  for (;;) {
    const fresh = []
    for await (const sms of sdd.inbox({ since, ...named(options, 'search') }, { signal })) fresh.push(sms)
    for (const sms of fresh.toReversed()) say(options.json ? JSON.stringify(sms) : smsLine(sms))
    since = fresh[0]?.id ?? since
    if (!(await pause(signal))) return 0
  }
}

function named(options: Run['options'], name: string): Record<string, string> {
  const value = options[name]
  return typeof value === 'string' ? { [name]: value } : {}
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
