import { useLocation } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { openListeners } from '#console/core/listeners.ts'
import { Button } from '#console/ui/button.tsx'

type Toast = {
  id: number
  text: string
  action?: { label: string; run: () => void } | undefined
  /** Disappears even with a button, which the screen must offer elsewhere too. */
  fades?: boolean
}

/**
 * A toast without a button disappears after this long, in ms. One with a button stays until the user answers it or goes
 * to another screen: an undo that is pressed much later would undo what others have done since.
 */
const STAY_MS = 4_000
const FADE_MS = 10_000
const MOST = 3

let shown: Toast[] = []
let last = 0
const { listen, tell } = openListeners()

/** Shows a message that belongs to no form. */
export function toast(said: Omit<Toast, 'id'>): void {
  const others = shown.filter(({ text }) => text !== said.text)
  show([...others, { ...said, id: ++last }].slice(-MOST))
}

/** Shows the toasts; mounted once, in the shell. A live region must exist before its first message. */
export function Toasts({ label, closeLabel }: { label: string; closeLabel: string }) {
  const toasts = useSyncExternalStore(listen, () => shown)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const left = useRef('')
  useEffect(() => {
    // Those before the first path are of the previous user: a call may end after the logout.
    if (left.current !== path) show(shown.filter(({ action }) => !action && left.current))
    left.current = path
  }, [path])
  return (
    <section
      aria-label={label}
      aria-live="polite"
      className="toasts fixed left-[232px] z-50 flex w-[380px] max-w-[calc(100vw-1.5rem)] flex-col gap-2 max-lg:left-[112px] max-md:left-3"
    >
      {toasts.map((entry) => (
        <ToastCard key={entry.id} entry={entry} closeLabel={closeLabel} />
      ))}
    </section>
  )
}

function ToastCard({ entry, closeLabel }: { entry: Toast; closeLabel: string }) {
  const { id, text, action, fades } = entry
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held || (action && !fades)) return
    const timer = setTimeout(() => dismiss(id), action ? FADE_MS : STAY_MS)
    return () => clearTimeout(timer)
  }, [held, action, fades, id])
  return (
    <div
      className="flex items-center gap-2 rounded-md border-l-4 border-accent bg-ink py-2 pr-2 pl-3 text-sm text-panel shadow-xl"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p className="min-w-0 flex-1">{text}</p>
      {action && (
        <button
          type="button"
          className="h-7 shrink-0 rounded-sm px-2 font-semibold underline max-md:h-11"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </button>
      )}
      <Button tone="ghost" size="sm" square aria-label={closeLabel} onClick={() => dismiss(id)}>
        <X className="size-4" aria-hidden="true" />
      </Button>
    </div>
  )
}

function dismiss(id: number): void {
  show(shown.filter((entry) => entry.id !== id))
}

function show(next: Toast[]): void {
  shown = next
  tell()
}
