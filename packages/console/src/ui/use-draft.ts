import { useEffect, useEffectEvent, useState } from 'react'

/**
 * A text that is typed here and stored elsewhere, such as in the address. It is shown at once, and stored after a pause
 * in typing of `restMs`. If the stored value changes, it replaces the draft.
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
