import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, KeyRound, List, Pencil, Send, Unlink } from 'lucide-react'
import { Suspense, type ComponentType, type ReactNode } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useGoneLook } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { devicePage as words } from './device-text.ts'
import { DeviceFacts } from './device-facts.tsx'
import { StatusMarks } from './device-columns.tsx'
import {
  devicesQuery,
  historySpans,
  orderDialogs,
  type Device,
  type HistorySpan,
  type OrderDialogName,
} from './devices.ts'
import { MaintenanceNotice } from './maintenance.tsx'
import NetworkPanel, { type RecentMessagesComponent } from './network-panel.tsx'
import type { DevicePageSearch } from './search.ts'
import { devices as list } from './text.ts'
import { useEnabled } from './use-enabled.ts'
import { Box } from '#console/ui/box.tsx'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { CopyButton } from '#console/ui/copy-button.tsx'
import { useKeys } from '#console/ui/keys.ts'
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
  /** Since when it has its status. */
  Since: ComponentType<{ uid: string; status: string }>
  /** The charts of its signal, battery and temperature. */
  Telemetry: ComponentType<{
    uid: string
    status: string
    span: HistorySpan
    onSpan: (span: HistorySpan) => void
  }>
  /** What it can be asked to do. */
  OrderButtons: ComponentType<{ device: Device; onDialog: (dialog: OrderDialogName) => void }>
  /** Its SIMs, with their plans and balances. */
  Sims: ComponentType<{ device: Device }>
  /** What it was asked, with its answers. */
  Orders: ComponentType<{ device: Device }>
  OrderDialog: ComponentType<{ uid: string; what: OrderDialogName; onClose: () => void }>
  sendDialog: (uid: string, onClose: () => void) => ReactNode
}

/** Everything about one device, and the actions on it. */
export function DeviceScreen(props: Props) {
  const { RecentMessages, Counts, Held, Attempts, Presence, Telemetry, Sims, Orders, OrderDialog } = props
  const { uid } = route.useParams()
  const { dialog, span = '7d' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: devices, isError, refetch } = useQuery(devicesQuery)
  const device = devices?.find((one) => one.uid === uid)
  const manages = holds(useRole(), 'devices:manage')
  // Back closes a dialog that was opened.
  const show = (next: DevicePageSearch['dialog']) =>
    void navigate({ search: (now) => ({ ...now, dialog: next }), replace: next === undefined })
  const showSpan = (next: HistorySpan) =>
    void navigate({ search: (now) => ({ ...now, span: next }), replace: true })
  const close = () => show(undefined)
  useKeys({
    s: device?.status === 'connected' ? () => show('send') : undefined,
    l: () => void navigate({ to: '/logs', search: { device_uid: uid } }),
    ...Object.fromEntries(historySpans.map((each, n) => [String(n + 1), () => showSpan(each)])),
  })
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
            <Head {...props} device={device} manages={manages} onDialog={show} />
            <MaintenanceNotice device={device} manages={manages} />
            <Box title={words.presence}>
              <Presence uid={uid} status={device.status} />
            </Box>
            <Telemetry uid={uid} status={device.status} span={span} onSpan={showSpan} />
            <DeviceFacts device={device} audits={manages} Counts={Counts} Held={Held} />
            <Sims device={device} />
            <Orders device={device} />
            <Box title={words.attempts} className="shrink-0">
              <Attempts uid={uid} />
            </Box>
            <div className="panel shrink-0 overflow-clip">
              <NetworkPanel device={device} RecentMessages={RecentMessages} />
            </div>
          </>
        )}
      </div>
      {device && dialog === 'send' && <Suspense>{props.sendDialog(uid, close)}</Suspense>}
      {device && manages && dialog && dialog !== 'send' && (
        <Suspense>
          {isOrder(dialog) ? (
            <OrderDialog uid={uid} what={dialog} onClose={close} />
          ) : (
            <DeviceDialogs
              dialog={dialog}
              device={device}
              onClose={close}
              onUnlinked={() => void navigate({ to: '/devices', replace: true })}
            />
          )}
        </Suspense>
      )}
    </Page>
  )
}

function isOrder(dialog: NonNullable<DevicePageSearch['dialog']>): dialog is OrderDialogName {
  return orderDialogs.some((one) => one === dialog)
}

function Head({
  device,
  manages,
  Since,
  OrderButtons,
  onDialog,
}: Pick<Props, 'Since' | 'OrderButtons'> & {
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
        <Since uid={uid} status={status} />
        <span className="inline-flex items-center gap-1 font-semibold">
          <span className="mono wrap-anywhere">{uid}</span>
          <CopyButton what={list.columns.uid} value={uid} />
        </span>
        <span className="ml-auto flex items-center gap-3 max-md:order-first max-md:w-full max-md:flex-row-reverse">
          {/* Without the right to change it, the mark says whether it is disabled. */}
          {manages && (
            <label className="flex min-h-[34px] items-center gap-2 font-medium max-md:min-h-11">
              <input
                type="checkbox"
                className="size-[18px] max-md:size-6"
                aria-label={list.enabled(uid)}
                checked={enabled}
                onChange={() => setEnabled({ uid, enabled: !enabled })}
                {...gone}
              />
              {list.columns.enabled}
            </label>
          )}
          <Button
            needsServer
            tone="primary"
            className="max-md:flex-1"
            disabled={status !== 'connected'}
            title={status === 'connected' ? undefined : words.awaySend}
            onClick={() => onDialog('send')}
          >
            <Send className="size-4" aria-hidden="true" />
            {list.send}
          </Button>
        </span>
      </div>
      <div className="flex flex-wrap gap-2">
        <Link to="/logs" search={{ device_uid: uid }} className={buttonLook()}>
          <List className="size-4" aria-hidden="true" />
          {words.logs}
        </Link>
        {manages && (
          <>
            <OrderButtons device={device} onDialog={onDialog} />
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
          </>
        )}
      </div>
    </section>
  )
}
