import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { linking as words } from './linking-text.ts'
import { devicesQuery, type Device } from './devices.ts'
import { linkCodeQuery, type ShownCode } from './linking.ts'
import { globalSettingsQuery } from '#console/accounts/settings/settings.ts'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon, Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** The devices that joined, and whether the last one is connected. Then it offers to send a test SMS with it. */
export function LinkProgress({
  joined: { devices, used },
  uses,
  open,
  onTest,
}: {
  joined: Joined
  uses: number
  /** The code has not expired. */
  open: boolean
  onTest: (uid: string) => void
}) {
  // With more new devices than uses, some joined with another code.
  const last = devices.length > used ? undefined : devices.at(-1)
  const connected = last?.status === 'connected'
  return (
    <div className="flex flex-col gap-2">
      <output className="flex flex-col gap-2">
        {last !== undefined && (
          <span className="flex items-center gap-2.5 rounded-sm bg-ok-bg px-3 py-2.5 font-medium text-ok">
            <MarkIcon mark="check" />
            <span className="min-w-0 flex-1">
              <b className="block font-semibold break-words">{words.linked(last.uid)}</b>
              <span className="block text-sm">{nextOf(last)}</span>
            </span>
            <Pill tone={connected ? 'ok' : 'bad'} mark={connected ? 'dot' : 'square'}>
              {text.deviceStatus[last.status]}
            </Pill>
          </span>
        )}
        {last === undefined && used === uses && <span>{words.joined(String(used), String(uses))}</span>}
        {open && used < uses && (
          <span className="flex items-center gap-2 text-muted">
            <span className="live-dot live" aria-hidden="true" />
            {uses === 1 ? words.waiting : `${words.joined(String(used), String(uses))} · ${words.waiting}`}
          </span>
        )}
      </output>
      {connected && last.enabled && (
        <Button needsServer size="lg" className="self-start" onClick={() => onTest(last.uid)}>
          {words.test}
        </Button>
      )}
      {!open && used < uses && <Notice tone="warn">{words.expired}</Notice>}
    </div>
  )
}

function nextOf({ status, enabled }: Device): string {
  if (!enabled) return words.nextDisabled
  return status === 'connected' ? words.ready : words.next
}

type Joined = {
  /** The devices created in the user's company since the code was made, the newest last. */
  devices: readonly Device[]
  /** How many devices have joined with the code. */
  used: number
}

/** `open`: the code has not expired. Afterwards its last known uses hold. */
export function useJoined({ id, uses, madeAt }: ShownCode & { madeAt: string }, open: boolean): Joined {
  const { data: all = [] } = useQuery(devicesQuery)
  const { data: settings } = useQuery(globalSettingsQuery)
  const { data: code } = useQuery({ ...linkCodeQuery(id), enabled: open && id !== undefined })
  const own = settings?.[0]?.company_id
  const devices = all
    .filter(({ created_at }) => created_at && created_at >= madeAt)
    .filter(({ company_id }) => own === undefined || company_id === own)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  // A code that is used up, revoked or expired is no longer in the list, which does not say how it was used.
  return { devices, used: code ? uses - code.uses_left : Math.min(uses, devices.length) }
}
