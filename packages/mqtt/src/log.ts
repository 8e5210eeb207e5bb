type Write = (fields: object, message: string) => void

/** Where log lines go. The fields say what a line is about; each message is a constant. */
export type Log = { readonly debug: Write; readonly info: Write; readonly warn: Write; readonly error: Write }

/**
 * The level for the next log line of a kind: `info` once in ten seconds, with the number of lines `unsaid` since then,
 * and `debug` in between. A flood of connections must not become a flood of log lines; the metrics count each one.
 */
export type ThrottledLog = (kind: string) => { level: 'info' | 'debug'; unsaid: number | undefined }

const EVERY_MS = 10_000

/** `now` is a monotonic clock in ms. Kinds are a few constants of this program. A client cannot add any. */
export function openThrottledLog(now: () => number = () => performance.now()): ThrottledLog {
  const logged = new Map<string, { at: number; unsaid: number }>()
  return (kind) => {
    const last = logged.get(kind)
    if (last && now() - last.at < EVERY_MS) {
      last.unsaid++
      return { level: 'debug', unsaid: undefined }
    }
    logged.set(kind, { at: now(), unsaid: 0 })
    return { level: 'info', unsaid: last?.unsaid || undefined }
  }
}
