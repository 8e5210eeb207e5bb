import { lazyPart } from '#console/core/language.ts'
import { DeviceScreen } from '#console/fleet/devices/device-screen.tsx'
import { DeviceAttempts } from '#console/insight/device-detail/attempts.tsx'
import { DeviceCountsTable } from '#console/insight/device-detail/counts-table.tsx'
import { HeldMessages } from '#console/insight/device-detail/held-messages.tsx'
import { DevicePresence } from '#console/insight/device-detail/presence.tsx'
import RecentMessages from '#console/insight/log/recent-messages.tsx'

const SendDialog = lazyPart(() => import('#console/messages/messages/send-dialog.tsx'))

/** The page of one device, with its messages and its send form. */
export function DevicePage() {
  return (
    <DeviceScreen
      RecentMessages={RecentMessages}
      Counts={DeviceCountsTable}
      Held={HeldMessages}
      Attempts={DeviceAttempts}
      Presence={DevicePresence}
      sendDialog={(uid, onClose) => <SendDialog uid={uid} onClose={onClose} />}
    />
  )
}
