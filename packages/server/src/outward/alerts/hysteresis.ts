/** What a rule remembers about a subject between two checks. Times are in ms. */
export type Watch = {
  since_ms: number
  /** How many checks in a row found the condition. The count stops at `ENOUGH_CHECKS`. */
  checks: number
  gone_since_ms: number | null
  /** How many checks in a row did not find it, counted in the same way. */
  gone_checks: number
  /** The device was in maintenance at the last check. */
  paused: boolean
  /** An alert is open. */
  open: boolean
}

/** What a check found. */
export type Finding = {
  /** Undefined: this check could not find out, so the watch stays as it is. */
  holds: boolean | undefined
  /**
   * When the condition began or ended, if the database knows. Otherwise, or if the clock was set back since then, the
   * time of the first check that found it.
   */
  since_ms?: number | undefined
  /** The device is in maintenance: no time runs. */
  paused?: boolean
}

/** A condition without a time opens an alert after this many checks in a row, and resolves it after as many. */
const ENOUGH_CHECKS = 2

/**
 * Returns the next state of a watch, and whether its alert opens or is resolved. A condition must hold for `whole_ms`
 * before its alert opens, and be gone for as long before the alert is resolved. `undefined` means two checks in a row.
 * The new watch is undefined if there is nothing to remember.
 */
export function follow(
  watch: Watch | undefined,
  { holds, since_ms, paused = false }: Finding,
  whole_ms: number | undefined,
  now_ms: number,
): { watch: Watch | undefined; event?: 'opened' | 'resolved' } {
  if (paused) return { watch: pausedWatch(watch, holds, now_ms) }
  if (holds === undefined) return { watch }
  const known_since_ms = since_ms !== undefined && since_ms <= now_ms ? since_ms : undefined
  // The time begins again when maintenance ends.
  const from_ms = watch?.paused ? now_ms : known_since_ms
  const before = watch && { ...watch, paused: false, checks: watch.paused ? 0 : watch.checks }
  /** The later of the two times, because the condition may have ended and begun again between two checks. */
  const latest = (known_ms: number | null | undefined) =>
    Math.min(Math.max(from_ms ?? known_ms ?? now_ms, known_ms ?? 0), now_ms)
  const isOver = (begun_ms: number, checks: number) =>
    whole_ms === undefined ? checks >= ENOUGH_CHECKS : now_ms - begun_ms >= whole_ms

  if (holds) {
    if (before?.open) return { watch: { ...before, gone_since_ms: null, gone_checks: 0 } }
    const since_ms = latest(before?.since_ms)
    const next = { ...NEW, since_ms, checks: more(before?.checks ?? 0) }
    return isOver(since_ms, next.checks)
      ? { watch: { ...next, open: true }, event: 'opened' }
      : { watch: next }
  }
  if (!before?.open) return { watch: undefined }
  const gone_since_ms = latest(before.gone_since_ms)
  const next = { ...before, gone_since_ms, gone_checks: more(before.gone_checks) }
  return isOver(gone_since_ms, next.gone_checks) ? { watch: undefined, event: 'resolved' } : { watch: next }
}

const NEW = { gone_since_ms: null, gone_checks: 0, paused: false, open: false } as const

function pausedWatch(
  watch: Watch | undefined,
  holds: boolean | undefined,
  now_ms: number,
): Watch | undefined {
  if (watch?.open) return { ...watch, gone_since_ms: null, gone_checks: 0, paused: true }
  if (watch?.paused && holds !== false) return watch
  return holds ? { ...NEW, since_ms: now_ms, checks: 0, paused: true } : undefined
}

function more(checks: number): number {
  return Math.min(checks + 1, ENOUGH_CHECKS)
}
