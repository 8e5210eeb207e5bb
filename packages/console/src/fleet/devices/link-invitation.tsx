import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { text } from '#console/core/text.ts'
import { linking as words } from './linking-text.ts'
import { LinkProgress, useJoined } from './link-progress.tsx'
import { LinkSteps } from './link-steps.tsx'
import { clockOf, linkCommand, type LinkWay, type ShownCode } from './linking.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'

const QrCode = lazy(() => import('#console/ui/qr-code.tsx'))

export type Invitation = ShownCode & {
  /** When the code was made, by the server's clock, like the devices' `created_at`. */
  madeAt: string
  /** When the code expires, by the browser's clock, in ms. */
  endsAt: number
}

/** The code in every form that devices accept, until it has expired or is used up; then the last step. */
export function LinkInvitation({
  invitation,
  onAnother,
  onTest,
  onClose,
}: {
  invitation: Invitation
  onAnother: () => void
  /** Opens the form that sends an SMS with this device. */
  onTest: (uid: string) => void
  onClose: () => void
}) {
  const { code, uses } = invitation
  const [way, setWay] = useState<LinkWay>('modem')
  const now = useNow()
  const secs = Math.max(0, Math.ceil((invitation.endsAt - now) / 1000))
  const joined = useJoined(invitation, secs > 0)
  const full = joined.used >= uses
  const open = !full && secs > 0
  const connects = full && joined.devices.some(({ status }) => status !== 'connected')
  // The form had the focus, and is gone.
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => root.current?.focus(), [])
  return (
    <div ref={root} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {open && (
        <div className="flex items-center gap-4 max-md:flex-col max-md:items-stretch">
          <div className="size-36 shrink-0 overflow-hidden rounded-sm border border-line max-md:mx-auto max-md:size-44">
            <Suspense>
              <QrCode content={linkCommand(code, location.origin)} label={words.picture} />
            </Suspense>
          </div>
          <div className="min-w-0 flex-1">
            <CopyRow label={words.code} value={code} copyLabel={words.copyCode} large />
            <p className="mt-2 text-sm text-muted">
              {words.left} <b className="text-lg font-semibold text-ink tabular-nums">{clockOf(secs)}</b>
              {' · '}
              {words.pictureHint}
            </p>
          </div>
        </div>
      )}
      {(open || connects) && <LinkSteps code={code} way={way} linked={!open} onWay={setWay} />}
      <LinkProgress joined={joined} uses={uses} open={secs > 0} onTest={onTest} />
      <div className="flex justify-end gap-2 pt-1">
        {(full || secs === 0) && (
          <Button size="lg" onClick={onAnother}>
            {words.another}
          </Button>
        )}
        <Button tone="primary" size="lg" onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </div>
  )
}
