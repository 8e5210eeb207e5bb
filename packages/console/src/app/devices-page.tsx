import { Suspense } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { DevicesScreen } from '#console/fleet/devices/devices-screen.tsx'

const SendDialog = lazyPart(() => import('#console/messages/messages/send-dialog.tsx'))
const LastMessages = lazyPart(() => import('#console/insight/log/recent-messages.tsx'))

/** The devices screen, with each device's messages and send form. */
export function DevicesPage() {
  return (
    <DevicesScreen
      RecentMessages={RecentMessages}
      sendDialog={(uid, onClose) => <SendDialog uid={uid} onClose={onClose} />}
    />
  )
}

function RecentMessages({ uid }: { uid: string }) {
  return (
    <Suspense fallback={<div aria-busy="true" />}>
      <LastMessages uid={uid} />
    </Suspense>
  )
}
