import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useSyncExternalStore,
  type FocusEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { openListeners } from '#console/core/listeners.ts'

/** The overlay to show; `inside` means that the component is part of the overlay. */
const Over = createContext<{ shown: ReactNode } | 'inside'>({ shown: null })

let dialogs = 0
const { listen, tell } = openListeners()

/**
 * Shows a dialog over the screen or, while another dialog is open, inside that one. Only content of a dialog may take
 * the focus from it, and Escape then closes only the inner one.
 */
export function OverlayProvider({ shown, children }: { shown: ReactNode; children: ReactNode }) {
  const open = useSyncExternalStore(listen, () => dialogs)
  return (
    <Over value={{ shown }}>
      {children}
      {open === 0 && <Over value="inside">{shown}</Over>}
    </Over>
  )
}

/**
 * For a dialog: returns the overlay to show inside it. When the overlay closes, the focus returns to its last place in
 * `popup`, which `onFocus` tracks.
 */
export function useOverlay(popup: RefObject<HTMLElement | null>): {
  over: ReactNode
  onFocus: (event: FocusEvent<HTMLElement>) => void
} {
  const context = useContext(Over)
  const last = useRef<HTMLElement>(undefined)
  const outer = context !== 'inside'
  const shown = outer && Boolean(context.shown)
  useEffect(() => {
    if (!outer) return
    count(1)
    return () => count(-1)
  }, [outer])
  useEffect(() => {
    if (!shown) return
    // Delayed, because a button that waited for the answer is focusable only slightly later.
    return () => void setTimeout(() => last.current?.focus(), 50)
  }, [shown])
  return {
    over: shown && <Over value="inside">{context.shown}</Over>,
    onFocus({ target }) {
      // Focus events of the inner dialog bubble up here too.
      if (popup.current?.contains(target) && target !== popup.current) last.current = target
    },
  }
}

function count(more: 1 | -1): void {
  dialogs += more
  tell()
}
