import { useState } from 'react'
import { lazyPart } from '#console/core/language.ts'
import { DevicesScreen } from '#console/fleet/devices/devices-screen.tsx'
import { RecentMessages } from '#console/insight/log/recent-messages.tsx'
import type { UnsentMessage } from '#console/messages/messages/messages.ts'

const SendDialog = lazyPart(() => import('#console/messages/messages/send-dialog.tsx'))

/** The devices screen, with each device's messages and send form. */
export function DevicesPage() {
  // A refused send closes the form. If it opens again for the same device, it has the same text.
  const [unsent, setUnsent] = useState<UnsentMessage & { uid: string }>()
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
