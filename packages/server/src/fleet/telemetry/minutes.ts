import { MINUTE_MS } from '#server/core/clock.ts'

/** Beyond this, messages of one minute are dropped. */
const MOST_A_MINUTE = 10
/** Longer than the time by which a device's clock may be off. */
const REMEMBER_MINUTES = 12

/**
 * Counts the telemetry of each device by minute, in memory: after a restart, a device may send a little more.
 */
export function openMinutes() {
  let counted = -1
  const counts = new Map<number, number>()
  /** The devices with a reading of this minute in the history. */
  const kept = new Map<number, Set<number>>()

  return {
    /** Counts one message that arrives now. False if the device has sent too many in this minute. */
    mayTake(device_id: number, now_ms: number): boolean {
      const minute = Math.floor(now_ms / MINUTE_MS)
      if (minute !== counted) {
        counted = minute
        counts.clear()
        for (const old of kept.keys()) if (Math.abs(old - minute) > REMEMBER_MINUTES) kept.delete(old)
      }
      const count = (counts.get(device_id) ?? 0) + 1
      counts.set(device_id, count)
      return count <= MOST_A_MINUTE
    },

    /** Whether it is the device's first reading of its minute: the history takes one a minute. */
    isFirst(device_id: number, at_ms: number): boolean {
      const devices = kept.getOrInsertComputed(Math.floor(at_ms / MINUTE_MS), () => new Set())
      if (devices.has(device_id)) return false
      devices.add(device_id)
      return true
    },
  }
}
