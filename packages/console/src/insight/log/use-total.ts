import { useQuery } from '@tanstack/react-query'
import { useEffectEvent, useRef } from 'react'
import { useOnChange } from '#console/core/live/live-context.ts'
import { throttled } from '#console/core/live/refresh.ts'
import { countQuery } from './log.ts'
import type { ServerFilter } from './search.ts'

/** The shortest pause between two counts, in ms: each may keep the server busy for a second. */
const COUNT_GAP_MS = 15_000

type Total = { count: number; complete: boolean }

/**
 * How many messages match the filter; undefined until counted, or if the server does not count. Once the last page is
 * loaded, its rows are the total and nothing is counted.
 */
export function useTotal(filter: ServerFilter, loaded: number, hasMore: boolean): Total | undefined {
  const { data, refetch } = useQuery({ ...countQuery(filter), enabled: hasMore })
  const again = useEffectEvent(async () => void (hasMore && (await refetch())))
  const poke = useRef<() => void>(undefined)
  useOnChange('logs', (gap) => {
    // So soon after the first count, another would cost more than it tells.
    if (gap === 'start') return
    poke.current ??= throttled(() => again(), COUNT_GAP_MS)
    poke.current()
  })
  if (!hasMore) return { count: loaded, complete: true }
  return data && { ...data, count: Math.max(data.count, loaded) }
}
