import { useSyncExternalStore } from 'react'
import { openListeners } from '#console/core/listeners.ts'
import { text } from '#console/core/text.ts'

let gone = false
const { listen, tell } = openListeners()

/** Notes whether the server answers nothing, neither live messages nor calls. Styles read it from the root element. */
export function noteServerGone(now: boolean): void {
  if (gone === now) return
  gone = now
  document.documentElement.toggleAttribute('data-server-gone', gone)
  tell()
}

/** Whether the server answers nothing. Actions that would change or send something are then disabled. */
export function useServerGone(): boolean {
  return useSyncExternalStore(listen, () => gone)
}

/** What disables a control that sends or changes something while the server is gone, and says why. */
export function useGoneLook(): { disabled: true; title: string } | undefined {
  return useServerGone() ? { disabled: true, title: text.serverGone } : undefined
}
