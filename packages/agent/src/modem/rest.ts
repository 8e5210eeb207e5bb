import { type Clock, sleep } from '#agent/clock.ts'

/** A rest between two turns of a loop, which a call of `wake` ends, also one that comes before it. */
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
