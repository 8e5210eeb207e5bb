import { Suspense } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { SendScreen } from '#console/messages/messages/send-screen.tsx'
import type { Templates } from '#console/messages/messages/templates.ts'

const LastSent = lazyPart(() => import('#console/insight/log/sent-messages.tsx'))

const templates: Templates = {
  Chooser: lazyPart(() => import('./send-templates.tsx')),
  valuesOf: async (number, company) => (await import('./contact-values.ts')).contactValues(number, company),
}

/** The send screen, with the state of the last messages, templates and contacts. */
export function SmsPage() {
  return <SendScreen SentMessages={SentMessages} templates={templates} />
}

function SentMessages({ guids }: { guids: readonly string[] }) {
  return (
    <Suspense fallback={<div aria-busy="true" />}>
      <LastSent guids={guids} />
    </Suspense>
  )
}
