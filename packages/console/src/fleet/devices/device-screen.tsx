import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, KeyRound, Pencil, Send, Unlink } from 'lucide-react'
import { Suspense, type ComponentType, type ReactNode } from 'react'
import { lazyPart } from '#console/core/language.ts'
import { useGoneLook } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { devicePage as words } from './device-text.ts'
import { DeviceFacts } from './device-facts.tsx'
import { StatusMarks } from './device-columns.tsx'
import { devicesQuery, type Device } from './devices.ts'
import { MaintenanceNotice } from './maintenance.tsx'
import NetworkPanel, { type RecentMessagesComponent } from './network-panel.tsx'
import type { DevicePageSearch } from './search.ts'
import { devices as list } from './text.ts'
import { useEnabled } from './use-enabled.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { CopyButton } from '#console/ui/copy-button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const DeviceDialogs = lazyPart(() => import('./device-dialogs.tsx'))

const route = getRouteApi('/shell/devices/$uid')

type Props = {
  RecentMessages: RecentMessagesComponent
  /** How many messages it sent and received, today and in a week. */
  Counts: RecentMessagesComponent
  /** Its unfinished messages. */
  Held: RecentMessagesComponent
  /** Its latest attempts to send. */
  Attempts: RecentMessagesComponent
  /** How steadily it was connected. */
  Presence: ComponentType<{ uid: string; status: string }>
  sendDialog: (uid: string, onClose: () => void) => ReactNode
}

/** Everything about one device, and the actions on it. */
export function DeviceScreen({ RecentMessages, Counts, Held, Attempts, Presence, sendDialog }: Props) {
  const { uid } = route.useParams()
  const { dialog } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: devices, isError, refetch } = useQuery(devicesQuery)
  const device = devices?.find((one) => one.uid === uid)
  const manages = holds(useRole(), 'devices:manage')
  // Back closes a dialog that was opened.
  const show = (next: DevicePageSearch['dialog']) =>
    void navigate({ search: { dialog: next }, replace: next === undefined })
  const close = () => show(undefined)
  return (
    <Page title={device?.name ?? uid}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:py-3">
        <Link
          to="/devices"
          className="inline-flex min-h-6 w-fit items-center gap-1.5 text-sm text-link max-md:min-h-11"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
          {words.back}
        </Link>
        {isError && (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {list.loadFailed} {devices && text.kept}
          </Notice>
        )}
        {devices && !device && <Notice tone="warn">{words.unknown(uid)}</Notice>}
        {!devices && !isError && <Skeleton kind="form" />}
        {device && (
          <>
            <Head device={device} manages={manages} onDialog={show} />
            <MaintenanceNotice device={device} manages={manages} />
            <Box title={words.presence}>
              <Presence uid={uid} status={device.status} />
            </Box>
            <DeviceFacts device={device} audits={manages} Counts={Counts} Held={Held} />
            <Box title={words.attempts} className="shrink-0">
              <Attempts uid={uid} />
            </Box>
            <div className="panel shrink-0 overflow-clip">
              <NetworkPanel device={device} RecentMessages={RecentMessages} />
            </div>
          </>
        )}
      </div>
      {device && dialog === 'send' && <Suspense>{sendDialog(uid, close)}</Suspense>}
      {device && manages && dialog && dialog !== 'send' && (
        <Suspense>
          <DeviceDialogs
            dialog={dialog}
            device={device}
            onClose={close}
            onUnlinked={() => void navigate({ to: '/devices', replace: true })}
          />
        </Suspense>
      )}
    </Page>
  )
}

function Head({
  device,
  manages,
  onDialog,
}: {
  device: Device
  manages: boolean
  onDialog: (dialog: DevicePageSearch['dialog']) => void
}) {
  const { uid, status, enabled } = device
  const setEnabled = useEnabled()
  const gone = useGoneLook()
  return (
    <section aria-label={words.actions} className="panel flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <StatusMarks device={device} />
        <span className="inline-flex items-center gap-1 font-semibold">
          <span className="mono wrap-anywhere">{uid}</span>
          <CopyButton what={list.columns.uid} value={uid} />
        </span>
        <label className="ml-auto flex min-h-[34px] items-center gap-2 font-medium max-md:min-h-11">
          <input
            type="checkbox"
            className="size-[18px]"
            aria-label={list.enabled(uid)}
            checked={enabled}
            disabled={!manages}
            onChange={() => setEnabled({ uid, enabled: !enabled })}
            {...gone}
          />
          {list.columns.enabled}
        </label>
        <Button needsServer tone="primary" disabled={status !== 'connected'} onClick={() => onDialog('send')}>
          <Send className="size-4" aria-hidden="true" />
          {list.send}
        </Button>
      </div>
      {manages && (
        <div className="flex flex-wrap gap-2">
          <Button needsServer onClick={() => onDialog('edit')}>
            <Pencil className="size-4" aria-hidden="true" />
            {words.edit}
          </Button>
          <Button needsServer onClick={() => onDialog('limit')}>
            {words.limit}
          </Button>
          <Button needsServer onClick={() => onDialog('maintenance')}>
            {words.maintenance}
          </Button>
          <Button needsServer onClick={() => onDialog('secret')}>
            <KeyRound className="size-4" aria-hidden="true" />
            {words.secret}
          </Button>
          <Button needsServer className="text-bad!" onClick={() => onDialog('unlink')}>
            <Unlink className="size-4" aria-hidden="true" />
            {words.unlink}
          </Button>
        </div>
      )}
    </section>
  )
}
