import { useEffect, useEffectEvent, useState } from 'react'

/**
 * A text that is typed here and kept elsewhere (the address): shown at once, passed on when the typing rests for
 * `restMs`. A value that changes elsewhere takes the draft's place.
 */
export function useDraft(kept: string, keep: (value: string) => void, restMs: number) {
  const [state, setState] = useState({ kept, draft: kept })
  if (state.kept !== kept) setState({ kept, draft: kept })
  const pass = useEffectEvent(keep)
  useEffect(() => {
    if (state.draft === kept) return
    const timer = setTimeout(() => pass(state.draft), restMs)
    return () => clearTimeout(timer)
  }, [state.draft, kept, restMs])
  return [state.draft, (draft: string) => setState({ kept, draft })] as const
}
