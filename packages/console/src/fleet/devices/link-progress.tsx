import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { linking as words } from './linking-text.ts'
import { devicesQuery, type Device } from './devices.ts'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon, Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'

/** The devices that joined, and whether the last one is connected. Then it offers to send a test SMS with it. */
export function LinkProgress({
  joined,
  uses,
  open,
  onTest,
}: {
  joined: readonly Device[]
  uses: number
  /** The code has not expired. */
  open: boolean
  onTest: (uid: string) => void
}) {
  const last = joined.at(-1)
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
        {open && joined.length < uses && (
          <span className="flex items-center gap-2 text-muted">
            <span className="live-dot live" aria-hidden="true" />
            {uses === 1
              ? words.waiting
              : `${words.joined(String(joined.length), String(uses))} · ${words.waiting}`}
          </span>
        )}
      </output>
      {connected && last.enabled && (
        <Button needsServer size="lg" className="self-start" onClick={() => onTest(last.uid)}>
          {words.test}
        </Button>
      )}
      {!open && joined.length < uses && <Notice tone="warn">{words.expired}</Notice>}
    </div>
  )
}

function nextOf({ status, enabled }: Device): string {
  if (!enabled) return words.nextDisabled
  return status === 'connected' ? words.ready : words.next
}

/** The devices created since the code was made, the newest last. */
export function useJoined(since: string): Device[] {
  const { data: devices = [] } = useQuery(devicesQuery)
  return devices
    .filter(({ created_at }) => created_at && created_at >= since)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
}
