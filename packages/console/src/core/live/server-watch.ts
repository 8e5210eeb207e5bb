import type { Live } from '#console/core/live/live.ts'

/** The live connection may be away this long before the server is asked whether it still answers, in ms. */
const PATIENCE_MS = 5_000

/**
 * Reports whether the server is gone: the live connection has been away for a while and calls get no answer either. A
 * network that only refuses WebSockets does not count. Asks again until the live connection is back.
 */
export function watchServer(
  live: Pick<Live, 'view' | 'subscribe'>,
  {
    answers,
    gone,
    patienceMs = PATIENCE_MS,
  }: { answers: () => Promise<boolean>; gone: (now: boolean) => void; patienceMs?: number },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  function look(): void {
    if (live.view().staleSince !== undefined) {
      timer ??= setTimeout(() => void ask(), patienceMs)
      return
    }
    clearTimeout(timer)
    timer = undefined
    gone(false)
  }

  async function ask(): Promise<void> {
    const asked = timer
    const answered = await answers()
    // Meanwhile the live connection came back, and may even have gone again.
    if (stopped || timer !== asked) return
    gone(!answered)
    timer = setTimeout(() => void ask(), patienceMs)
  }

  const unsubscribe = live.subscribe(look)
  look()
  return () => {
    stopped = true
    unsubscribe()
    clearTimeout(timer)
    gone(false)
  }
}
