/** Timers that are cleared together. */
export type Timers = {
  after: (ms: number, run: () => void) => void
  /** Never settles if the timers are cleared before. */
  sleep: (ms: number) => Promise<void>
  clear: () => void
}

export function openTimers(): Timers {
  const running = new Set<NodeJS.Timeout>()
  let over = false

  function after(ms: number, run: () => void): void {
    if (over) return
    const timer = setTimeout(() => {
      running.delete(timer)
      run()
    }, ms)
    running.add(timer)
  }

  return {
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    clear() {
      over = true
      for (const timer of running) clearTimeout(timer)
      running.clear()
    },
  }
}
