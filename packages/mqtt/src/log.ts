type Write = (fields: object, message: string) => void

/** Where lines go: the fields say what of, the message is the same each time. */
export type Log = { readonly debug: Write; readonly info: Write; readonly warn: Write; readonly error: Write }

/**
 * How loudly the next thing of a kind is logged: `info` once in ten seconds, with how many were `unsaid` since, and
 * `debug` in between. A flood of connections must not become a flood of lines; the metrics count each one.
 */
export type ThrottledLog = (kind: string) => { level: 'info' | 'debug'; unsaid: number | undefined }

const EVERY_MS = 10_000

/** Kinds are few and our own, never what a client wrote. */
export function openThrottledLog(): ThrottledLog {
  const said = new Map<string, { at: number; unsaid: number }>()
  return (kind) => {
    const now = performance.now()
    const last = said.get(kind)
    if (last && now - last.at < EVERY_MS) {
      last.unsaid++
      return { level: 'debug', unsaid: undefined }
    }
    said.set(kind, { at: now, unsaid: 0 })
    return { level: 'info', unsaid: last?.unsaid || undefined }
  }
}
