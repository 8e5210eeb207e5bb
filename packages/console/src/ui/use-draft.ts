import { useEffect, useEffectEvent, useState } from 'react'

/**
 * A text that is typed here and stored elsewhere, such as in the address. It is shown at once, and stored after a pause
 * in typing of `restMs`, by some callers without the blanks around it. If the stored value changes in another way, it
 * replaces the draft.
 */
export function useDraft(kept: string, keep: (value: string) => void, restMs: number) {
  const [state, setState] = useState({ kept, draft: kept, passed: kept })
  if (state.kept !== kept)
    setState(
      kept === state.passed || kept === state.passed.trim()
        ? { ...state, kept }
        : { kept, draft: kept, passed: kept },
    )
  const pass = useEffectEvent((passed: string) => {
    setState({ ...state, passed })
    keep(passed)
  })
  useEffect(() => {
    if (state.draft.trim() === kept.trim()) return
    const timer = setTimeout(() => pass(state.draft), restMs)
    return () => clearTimeout(timer)
  }, [state.draft, kept, restMs])
  return [state.draft, (draft: string) => setState({ ...state, draft })] as const
}
