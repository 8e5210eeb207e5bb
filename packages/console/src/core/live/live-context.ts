import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Live, LiveGap, LiveView } from '#console/core/live/live.ts'

const LiveContext = createContext<Live | undefined>(undefined)

export const LiveProvider = LiveContext.Provider

export function useLive(): Live {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive needs a LiveProvider above this component')
  return live
}

export function useLiveView(): LiveView {
  const live = useLive()
  return useSyncExternalStore(live.subscribe, live.view)
}

/**
 * Calls `hear` when the noun changed, or any noun if none is named. Also called after a gap without events, as anything
 * may have changed.
 */
export function useOnChange(noun: string | undefined, hear: (gap?: LiveGap) => void): void {
  const live = useLive()
  const heard = useEffectEvent(hear)
  useEffect(
    () =>
      live.onChanged((change) => {
        if (typeof change === 'string') heard(change)
        else if (noun === undefined || change.includes(noun)) heard()
      }),
    [live, noun],
  )
}
