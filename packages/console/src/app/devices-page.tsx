import { lazy, useState } from 'react'
import { DevicesScreen } from '#console/fleet/devices/devices-screen.tsx'
import { RecentMessages } from '#console/insight/log/recent-messages.tsx'
import type { Unsent } from '#console/messages/messages/messages.ts'

const SendDialog = lazy(() => import('#console/messages/messages/send-dialog.tsx'))

/** The devices, with what goes through them. */
export function DevicesPage() {
  // A refusal closes the form; who opens it again for the same device finds what they wrote.
  const [unsent, setUnsent] = useState<Unsent & { uid: string }>()
  return (
    <DevicesScreen
      RecentMessages={RecentMessages}
      sendDialog={(uid, onClose) => (
        <SendDialog
          uid={uid}
          draft={unsent?.uid === uid ? unsent : undefined}
          onLeft={(left) => setUnsent({ uid, ...left })}
          onClose={onClose}
        />
      )}
    />
  )
}
