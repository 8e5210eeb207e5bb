import type { Live } from '#console/core/live/live.ts'
import { alertsOn, notify } from './alert-choice.ts'
import { alerts as words } from './alert-text.ts'

/** Devices that go away within this time share a notification, in ms. */
const GATHER_MS = 3_000

/** Shows a notification of the system, if the user asked for it, when devices disconnect while the window is hidden. */
export function alertOnDisconnect(live: Pick<Live, 'onStatus'>): () => void {
  let gone = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = live.onStatus(({ device_uid, status }) => {
    if (status === 'connected') gone.delete(device_uid)
    else gone.add(device_uid)
    timer ??= setTimeout(tell, GATHER_MS)
  })

  function tell(): void {
    timer = undefined
    const uids = [...gone]
    gone = new Set()
    if (uids.length > 0 && alertsOn('device') && document.visibilityState === 'hidden') show(uids)
  }

  return () => {
    stop()
    clearTimeout(timer)
  }
}

function show(uids: readonly string[]): void {
  const title = uids.length === 1 ? words.one(uids[0]!) : words.several(uids.length)
  const body = uids.length === 1 ? '' : uids.slice(0, 5).join(', ')
  void notify('device', { title, body, url: '/devices?show=disconnected' })
}
