import { type Clock, sleep } from '#agent/clock.ts'

/** The pause between two runs of a loop. `wake` ends it, even if called before the pause begins. */
type WakeableSleep = {
  sleepUntilWoken: (ms: number) => Promise<void>
  wake: () => void
}

export function openWakeableSleep(clock: Clock, stopping: AbortSignal): WakeableSleep {
  let woken = new AbortController()
  const wake = (): void => woken.abort()
  stopping.addEventListener('abort', wake)
  return {
    async sleepUntilWoken(ms) {
      await sleep(clock, ms, woken.signal)
      woken = new AbortController()
      if (stopping.aborted) wake()
    },
    wake,
  }
}
