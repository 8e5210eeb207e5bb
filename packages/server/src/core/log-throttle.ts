/**
 * The level for the next log line of a kind: `info` once in ten seconds, with the number of lines `unsaid` since then,
 * and `debug` in between. So a client that floods the server cannot flood its log; the metrics still count every event.
 */
export type LogThrottle = (kind: string) => { level: 'info' | 'debug'; unsaid: number | undefined }

const EVERY_MS = 10_000

/** `now` is a monotonic clock in ms. Kinds are a few fixed names, never text from a client. */
export function openLogThrottle(now: () => number = () => performance.now()): LogThrottle {
  const said = new Map<string, { at: number; unsaid: number }>()
  return (kind) => {
    const last = said.get(kind)
    if (last && now() - last.at < EVERY_MS) {
      last.unsaid++
      return { level: 'debug', unsaid: undefined }
    }
    said.set(kind, { at: now(), unsaid: 0 })
    return { level: 'info', unsaid: last?.unsaid || undefined }
  }
}
