import type { Webhook } from '@sdd/contract/outward/callbacks.ts'
import { useMutation } from '@tanstack/react-query'
import { sendTest } from './calls.ts'
import { faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { callbacks } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** Sends one signed test event to a webhook, and shows the outcome. */
export function TestDialog({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { mutate, isPending, data, error } = useMutation({ mutationFn: () => sendTest(id) })
  const found = data && [data.status !== null && callbacks.status(data.status), callbacks.lastError(data)]
  return (
    <Modal title={words.testTitle} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <p className="font-semibold [overflow-wrap:anywhere]">{url}</p>
        <p className="text-muted">{words.testMeans}</p>
        {error && <Notice tone="bad">{faultText(error, words.testFailed)}</Notice>}
        {data && (
          <Notice tone={data.delivered ? 'ok' : 'bad'}>
            <b className="block font-semibold">{data.delivered ? words.testArrived : words.testRefused}</b>
            <span className="block">{[...found!, `${data.took_ms} ms`].filter(Boolean).join(' · ')}</span>
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <Button size="lg" onClick={onClose}>
            {text.close}
          </Button>
          <Button
            needsServer
            size="lg"
            tone="primary"
            disabled={isPending}
            aria-busy={isPending}
            onClick={() => mutate()}
          >
            {isPending ? words.testing : data || error ? words.testAgain : words.test}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
