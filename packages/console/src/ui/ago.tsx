import { useSyncExternalStore } from 'react'
import { ago, dayTime } from '#console/ui/time.ts'

/** A time as its age, updated live. The absolute time is shown on hover and read by screen readers. */
export function Ago({ at }: { at: string }) {
  const now = useNow()
  const then = Date.parse(at)
  if (Number.isNaN(then)) return <span>{at}</span>
  return (
    <time dateTime={at} title={dayTime(at)}>
      {ago(then, now)}
      <span className="sr-only"> ({dayTime(at)})</span>
    </time>
  )
}

/** The current time in ms, updated every second by one shared clock. */
export function useNow(): number {
  return useSyncExternalStore(tick.subscribe, tick.now)
}

/** When the current day began, in ms. The component is drawn again at midnight. */
export function useToday(): number {
  return useSyncExternalStore(tick.subscribe, () => new Date(tick.now()).setHours(0, 0, 0, 0))
}

const tick = openTick()

function openTick() {
  const listeners = new Set<() => void>()
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    now: () => now,
    subscribe(listener: () => void) {
      listeners.add(listener)
      now = Date.now()
      timer ??= setInterval(() => {
        now = Date.now()
        for (const listen of listeners) listen()
      }, 1000)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
