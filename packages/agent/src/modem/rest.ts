import { type Clock, sleep } from '#agent/clock.ts'

/** The pause between two runs of a loop. `wake` ends it, even if called before the pause begins. */
export type Rest = {
  rest: (ms: number) => Promise<void>
  wake: () => void
}

export function openRest(clock: Clock, stopping: AbortSignal): Rest {
  let woken = new AbortController()
  const wake = (): void => woken.abort()
  stopping.addEventListener('abort', wake)
  return {
    async rest(ms) {
      await sleep(clock, ms, woken.signal)
      woken = new AbortController()
      if (stopping.aborted) wake()
    },
    wake,
  }
}
