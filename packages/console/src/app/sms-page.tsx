import { Suspense } from 'react'
import { lazyPart } from '#console/core/language.ts'
import { SendScreen } from '#console/messages/messages/send-screen.tsx'

const LastSent = lazyPart(() => import('#console/insight/log/sent-messages.tsx'))

/** The send screen, with the state of the last messages. */
export function SmsPage() {
  return <SendScreen SentMessages={SentMessages} />
}

function SentMessages({ guids }: { guids: readonly string[] }) {
  return (
    <Suspense fallback={<div aria-busy="true" />}>
      <LastSent guids={guids} />
    </Suspense>
  )
}
