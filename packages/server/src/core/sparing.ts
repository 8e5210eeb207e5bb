/**
 * How loudly the next thing of a kind is logged: `info` once in ten seconds, with how many were `unsaid` since, and
 * `debug` in between. Whoever floods the server shall not flood its log as well; the figures count every one.
 */
export type Sparing = (kind: string) => { level: 'info' | 'debug'; unsaid: number | undefined }

const EVERY_MS = 10_000

/** `now` is a clock in ms that never goes back. Kinds are few and our own, never what a client wrote. */
export function openSparing(now: () => number = () => performance.now()): Sparing {
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
