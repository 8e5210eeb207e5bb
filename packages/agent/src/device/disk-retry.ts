import { type Clock, sleep } from '#agent/clock.ts'
import { Unwritable } from '#agent/ledger/file.ts'
import type { Say } from '#agent/say.ts'

/** Retries writes until the disk takes them. Shared by all devices of a folder. */
export type DiskRetry = {
  /** Settles when `write` is on disk. Rejects with `Unwritable` only if the agent stops before. */
  untilStored: <T>(write: () => T) => Promise<T>
  /** For a write that can be skipped now: `undefined` if the disk does not take it. */
  attempt: <T>(write: () => T) => T | undefined
  /** Settles when a retry is due, or the agent stops. */
  pause: () => Promise<void>
  stop: () => void
}

const RETRY_MS = 5_000

export function openDiskRetry({ clock, say }: { clock: Clock; say: Say }): DiskRetry {
  const stopping = new AbortController()
  let full = false

  /** Runs the write. Logs once that the disk refuses, and once that it works again. */
  function run<T>(write: () => T): T {
    try {
      const result = write()
      if (full) say('The disk accepts writes again: continuing')
      full = false
      return result
    } catch (error) {
      if (error instanceof Unwritable && !full) {
        full = true
        say(
          `The disk takes no more (${error.message}): no new work. Free some space; the agent then continues by itself`,
        )
      }
      throw error
    }
  }

  return {
    async untilStored(write) {
      for (;;) {
        try {
          return run(write)
        } catch (error) {
          if (!(error instanceof Unwritable) || stopping.signal.aborted) throw error
          await sleep(clock, RETRY_MS, stopping.signal)
        }
      }
    },
    attempt(write) {
      try {
        return run(write)
      } catch (error) {
        if (error instanceof Unwritable) return undefined
        throw error
      }
    },
    pause: () => sleep(clock, RETRY_MS, stopping.signal),
    stop: () => stopping.abort(),
  }
}
