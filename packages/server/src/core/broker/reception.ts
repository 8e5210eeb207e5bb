import { setImmediate as turn } from 'node:timers/promises'

/** In what order, and how many at once, the CONNECTs that have come are looked at. */
export type Reception = {
  /** Begins `look` when it is its turn; settles as that does. A browser, which a person waits for, comes before devices. */
  inTurn(as: 'device' | 'browser', look: () => Promise<void>): Promise<void>
}

/**
 * Begins so many a turn of the event loop, and has so many under way at once: after a restart a whole fleet sends its
 * CONNECTs at one moment, and everybody else goes on meanwhile. While none can begin it does nothing until one ends.
 */
export function openReception(at_once: number): Reception {
  const browsers: (() => Promise<void>)[] = []
  const devices: (() => Promise<void>)[] = []
  let under_way = 0
  let working = false
  let oneEnded = () => {}

  async function work(): Promise<void> {
    working = true
    while (browsers.length + devices.length > 0) {
      while (under_way < at_once) {
        const look = browsers.shift() ?? devices.shift()
        if (!look) break
        under_way++
        void look().finally(end)
      }
      await turn()
      if (under_way >= at_once) await new Promise<void>((resolve) => (oneEnded = resolve))
    }
    working = false
  }

  function end(): void {
    under_way--
    oneEnded()
  }

  return {
    inTurn(as, look) {
      const looked = Promise.withResolvers<void>()
      const queue = as === 'browser' ? browsers : devices
      queue.push(() => look().then(looked.resolve, looked.reject))
      if (!working) void work()
      return looked.promise
    },
  }
}
