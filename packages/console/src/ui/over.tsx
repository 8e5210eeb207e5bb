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

/** What is shown over the rest; `inside`: this is part of it. */
const Over = createContext<{ shown: ReactNode } | 'inside'>({ shown: null })

let dialogs = 0
const listeners = new Set<() => void>()

/**
 * Shows a dialog over the screen or, while another dialog is open, inside that one: only what a dialog contains may take
 * the focus from it, and Escape then closes the inner one only.
 */
export function OverProvider({ shown, children }: { shown: ReactNode; children: ReactNode }) {
  const open = useSyncExternalStore(subscribe, () => dialogs)
  return (
    <Over value={{ shown }}>
      {children}
      {open === 0 && <Over value="inside">{shown}</Over>}
    </Over>
  )
}

/**
 * For a dialog: what to show inside it. Once that is gone, the focus goes back to where it was in `popup`, which
 * `onFocus` has noted.
 */
export function useOver(popup: RefObject<HTMLElement | null>): {
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
    // A moment later: a button that waited for the answer can take the focus only then.
    return () => void setTimeout(() => last.current?.focus(), 50)
  }, [shown])
  return {
    over: shown && <Over value="inside">{context.shown}</Over>,
    onFocus({ target }) {
      // Focus inside the inner dialog arrives here too.
      if (popup.current?.contains(target) && target !== popup.current) last.current = target
    },
  }
}

function count(more: 1 | -1): void {
  dialogs += more
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
