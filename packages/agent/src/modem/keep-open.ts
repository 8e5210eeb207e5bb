import type { Duplex } from 'node:stream'
import { type Clock, sleep } from '#agent/clock.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A port that worked this long resets the backoff. */
const STEADY_MS = 60_000

/**
 * Opens the port again and again: an unplugged or restarted stick comes back under the same name after a while. `usePort`
 * settles when the port is no longer usable; errors of `usePort` and `open` go to `failed`.
 */
export async function keepOpen(needs: {
  clock: Clock
  stopping: AbortSignal
  open: () => Promise<Duplex>
  usePort: (port: Duplex) => Promise<void>
  failed: (error: Error) => void
}): Promise<void> {
  const { clock, stopping, open, usePort, failed } = needs
  let pause_ms = FIRST_PAUSE_MS
  while (!stopping.aborted) {
    const since = clock.uptime()
    try {
      await usePort(await open())
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)))
    }
    if (clock.uptime() - since >= STEADY_MS) pause_ms = FIRST_PAUSE_MS
    await sleep(clock, pause_ms, stopping)
    pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS)
  }
}
