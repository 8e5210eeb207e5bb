import { useLocation } from '@tanstack/react-router'
import { Suspense, useState, type ComponentType } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { devices as deviceWords } from '#console/fleet/devices/text.ts'
import { send as words } from './text.ts'
import { useConnectedDevices } from '#console/fleet/devices/devices.ts'
import { noteSent, readSent } from './draft.ts'
import { SendForm } from './send-form.tsx'
import type { Templates } from './templates.ts'
import { useSending } from './use-sending.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'

const SeveralForm = lazyPart(() => import('./several-form.tsx'))

type Props = { SentMessages: SentMessages; templates: Templates }

/** Shows the messages with these guids, newest first. */
type SentMessages = ComponentType<{ guids: readonly string[] }>

export function SendScreen(props: Props) {
  // An address that fills the form again begins a new one.
  const filled = useLocation({ select: ({ state }) => state.filled })
  return (
    <Page title={words.title}>
      <Workplace key={filled} {...props} />
    </Page>
  )
}

/** The form in the middle, with the last messages at its right, or below it on a narrow window. */
function Workplace({ SentMessages, templates }: Props) {
  const { data: devices, isError, refetch } = useConnectedDevices()
  const [sent, setSent] = useState(readSent)
  const sending = useSending({ onSent: (guid) => setSent(noteSent(guid)) })
  return (
    <div className="@container min-h-0 flex-1 overflow-y-auto">
      <div className="grid min-h-full grid-cols-[minmax(0,480px)] place-content-center gap-6 px-6 pt-2 pb-16 max-md:place-content-start max-md:px-3 max-md:py-3 @min-[1080px]:grid-cols-[minmax(0,1fr)_480px_minmax(0,1fr)] @min-[1080px]:place-content-stretch @min-[1080px]:content-center">
        <div className="panel border-t-4 border-t-accent p-6 max-md:p-4 @min-[1080px]:col-start-2">
          {isError && (
            <Notice tone="bad" className="mb-4" retry={{ label: text.retry, run: () => void refetch() }}>
              {deviceWords.loadFailed}
            </Notice>
          )}
          {sending.draft.several === undefined ? (
            <SendForm sending={sending} choices={devices} templates={templates} />
          ) : (
            <Suspense fallback={<div className="h-96" aria-busy="true" />}>
              <SeveralForm sending={sending} choices={devices} templates={templates} />
            </Suspense>
          )}
        </div>
        {sent.length > 0 && (
          <section aria-labelledby="sent" className="min-w-0 @min-[1080px]:max-w-[360px]">
            <h2 id="sent" className="mb-2 font-semibold">
              {words.sent}
            </h2>
            <SentMessages guids={sent} />
          </section>
        )}
      </div>
    </div>
  )
}
