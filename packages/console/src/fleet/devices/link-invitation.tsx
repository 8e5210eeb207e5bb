import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { text } from '#console/core/text.ts'
import { linking as words } from './linking-text.ts'
import { devicesQuery } from './devices.ts'
import { clockOf, linkCommand, type ShownCode } from './linking.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'

const QrCode = lazy(() => import('#console/ui/qr-code.tsx'))

export type Invitation = ShownCode & {
  /** When the code was made, by the server's clock, like the devices' `created_at`. */
  madeAt: string
  /** When the code expires, by the browser's clock, in ms. */
  endsAt: number
}

/** The code in every form that devices accept, until it has expired or is used up. */
export function LinkInvitation({
  invitation,
  onAnother,
  onClose,
}: {
  invitation: Invitation
  onAnother: () => void
  onClose: () => void
}) {
  const { code, uses } = invitation
  const joined = useJoined(invitation.madeAt)
  const now = useNow()
  const secs = Math.max(0, Math.ceil((invitation.endsAt - now) / 1000))
  const full = joined.length >= uses
  const command = linkCommand(code, location.origin)
  return (
    <div className="flex flex-col gap-4">
      {!full && secs > 0 && (
        <>
          <CopyRow label={words.code} value={code} copyLabel={words.copyCode} large />
          <div className="flex items-center gap-4 max-md:flex-col">
            <div className="size-44 shrink-0 overflow-hidden rounded-sm border border-line">
              <Suspense>
                <QrCode content={command} label={words.picture} />
              </Suspense>
            </div>
            <div className="min-w-0 text-sm text-muted max-md:text-center">
              <p>{words.left}</p>
              <p className="mb-2 text-2xl leading-tight font-semibold text-ink tabular-nums">
                {clockOf(secs)}
              </p>
              <p>{words.pictureHint}</p>
            </div>
          </div>
          <CopyRow label={words.command} value={command} copyLabel={words.copyCommand} />
        </>
      )}
      <Progress joined={joined} uses={uses} open={secs > 0} />
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

function Progress({ joined, uses, open }: { joined: readonly Joined[]; uses: number; open: boolean }) {
  const last = joined.at(-1)
  return (
    <div className="flex flex-col gap-2">
      <output className="flex flex-col gap-2">
        {last !== undefined && (
          <span className="flex items-center gap-2.5 rounded-sm bg-ok-bg px-3 py-2.5 font-medium text-ok">
            <MarkIcon mark="check" />
            <span className="min-w-0">
              <b className="block font-semibold break-words">{words.linked(last.uid)}</b>
              <span className="block text-sm">
                {last.enabled === false ? words.nextDisabled : words.next}
              </span>
            </span>
          </span>
        )}
        {open && joined.length < uses && (
          <span className="flex items-center gap-2 text-muted">
            <span className="live-dot live" aria-hidden="true" />
            {uses === 1
              ? words.waiting
              : `${words.joined(String(joined.length), String(uses))} · ${words.waiting}`}
          </span>
        )}
      </output>
      {!open && joined.length < uses && <Notice tone="warn">{words.expired}</Notice>}
    </div>
  )
}

type Joined = { uid: string; enabled?: boolean | undefined }

/** The devices created since the code was made, the newest last. */
function useJoined(since: string): Joined[] {
  const { data: devices = [] } = useQuery(devicesQuery)
  return devices
    .filter(({ created_at }) => created_at && created_at >= since)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
}
