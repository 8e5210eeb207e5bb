import { useSyncExternalStore } from 'react'
import { alerts as words } from './alert-text.ts'
import { openListeners } from '#console/core/listeners.ts'
import { toast } from '#console/ui/toast.tsx'

/** What a notification tells: that devices disconnected, that messages failed, or that an SMS was received. */
export type AlertKind = 'device' | 'message' | 'sms'

const PREFERENCES = {
  device: 'device-alerts',
  message: 'message-alerts',
  sms: 'sms-alerts',
} as const satisfies Record<AlertKind, string>
const { listen, tell } = openListeners()

/** Whether this browser can notify at all: it needs a service worker and its permission. */
export function canAlert(): boolean {
  return 'Notification' in window && 'serviceWorker' in navigator
}

export function useAlerts(kind: AlertKind): boolean {
  return useSyncExternalStore(whenAlertsChanged, () => alertsOn(kind))
}

/** Whether the user asked for notifications in this browser. The browser may have withdrawn its permission since. */
export function alertsOn(kind: AlertKind): boolean {
  return localStorage.getItem(PREFERENCES[kind]) === 'on' && canAlert()
}

/** Switches the notifications. Asks the browser for its permission, so call it only from a press. */
export async function switchAlerts(kind: AlertKind, on: boolean): Promise<void> {
  const allowed = on && (await Notification.requestPermission()) === 'granted'
  if (allowed) localStorage.setItem(PREFERENCES[kind], 'on')
  else localStorage.removeItem(PREFERENCES[kind])
  toast({ text: allowed ? words[kind].on : on ? words.refused : words.off })
  tell()
}

/** Shows a notification of the system. It replaces the last one of its kind, and a press on it opens the address. */
export async function notify(
  kind: AlertKind,
  { title, body, url }: { title: string; body: string; url: string },
): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.ready
    await registration.showNotification(title, { body, icon: '/icon-192.png', tag: kind, data: { url } })
  } catch {
    // The browser has withdrawn its permission.
    localStorage.removeItem(PREFERENCES[kind])
    tell()
  }
}

export const whenAlertsChanged = listen
