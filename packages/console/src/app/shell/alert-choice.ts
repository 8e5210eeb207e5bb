import { useSyncExternalStore } from 'react'
import { alerts as words } from './alert-text.ts'
import { toast } from '#console/ui/toast.tsx'

const PREFERENCE = 'device-alerts'
const listeners = new Set<() => void>()

/** Whether this browser can notify at all: it needs a service worker and its permission. */
export function canAlert(): boolean {
  return 'Notification' in window && 'serviceWorker' in navigator
}

export function useAlerts(): boolean {
  return useSyncExternalStore(subscribe, alertsOn)
}

/** Whether the user asked for notifications in this browser. The browser may have withdrawn its permission since. */
export function alertsOn(): boolean {
  return localStorage.getItem(PREFERENCE) === 'on' && canAlert()
}

/** Switches the notifications. Asks the browser for its permission, so call it only from a press. */
export async function switchAlerts(on: boolean): Promise<void> {
  const allowed = on && (await Notification.requestPermission()) === 'granted'
  if (allowed) localStorage.setItem(PREFERENCE, 'on')
  else localStorage.removeItem(PREFERENCE)
  toast({ text: allowed ? words.on : on ? words.refused : words.off })
  for (const listener of listeners) listener()
}

/** Forgets the choice, because the browser has withdrawn its permission. */
export function dropAlerts(): void {
  localStorage.removeItem(PREFERENCE)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
