import { useQuery } from '@tanstack/react-query'
import { Suspense, type ComponentProps } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { DeviceScreen } from '#console/fleet/devices/device-screen.tsx'
import type { Device, OrderDialogName } from '#console/fleet/devices/devices.ts'
import { DeviceCountsTable } from '#console/insight/device-detail/counts-table.tsx'
import { detailQuery } from '#console/insight/device-detail/device-detail.ts'
import { HeldMessages } from '#console/insight/device-detail/held-messages.tsx'
import { DevicePresence } from '#console/insight/device-detail/presence.tsx'
import { StatusSince } from '#console/insight/device-detail/since.tsx'
import RecentMessages from '#console/insight/log/recent-messages.tsx'

const SendDialog = lazyPart(() => import('#console/messages/messages/send-dialog.tsx'))
const DeviceTelemetry = lazyPart(() => import('#console/insight/device-detail/telemetry.tsx'))
const DeviceAttempts = lazyPart(() => import('#console/insight/device-detail/attempts.tsx'))
const Buttons = lazyPart(() => import('#console/fleet/orders/order-buttons.tsx'))
const OrdersBoxes = lazyPart(() => import('#console/fleet/orders/orders-boxes.tsx'))
const DeviceSims = lazyPart(() => import('./device-sims.tsx'))
const Dialog = lazyPart(() => import('#console/fleet/orders/order-dialog.tsx'))

/** The page of one device, with its messages, its orders and its send form. */
export function DevicePage() {
  return (
    <DeviceScreen
      RecentMessages={RecentMessages}
      Counts={DeviceCountsTable}
      Held={HeldMessages}
      Attempts={Attempts}
      Presence={DevicePresence}
      Since={StatusSince}
      Telemetry={Telemetry}
      OrderButtons={OrderButtons}
      Orders={Orders}
      Sims={Sims}
      OrderDialog={OrderDialog}
      sendDialog={(uid, onClose) => <SendDialog uid={uid} onClose={onClose} />}
    />
  )
}

function Telemetry(props: ComponentProps<typeof DeviceTelemetry>) {
  return (
    <Suspense>
      <DeviceTelemetry {...props} />
    </Suspense>
  )
}

function Attempts(props: ComponentProps<typeof DeviceAttempts>) {
  return (
    <Suspense>
      <DeviceAttempts {...props} />
    </Suspense>
  )
}

function OrderButtons(props: { device: Device; onDialog: (dialog: OrderDialogName) => void }) {
  const { data } = useQuery(detailQuery(props.device.uid))
  return <Suspense>{data && <Buttons {...props} abilities={data.abilities} />}</Suspense>
}

function Orders({ device }: { device: Device }) {
  const { data } = useQuery(detailQuery(device.uid))
  return <Suspense>{data && <OrdersBoxes device={device} abilities={data.abilities} />}</Suspense>
}

function Sims({ device }: { device: Device }) {
  const { data } = useQuery(detailQuery(device.uid))
  return <Suspense>{data && <DeviceSims device={device} {...data} />}</Suspense>
}

function OrderDialog(props: { uid: string; what: OrderDialogName; onClose: () => void }) {
  const { data } = useQuery(detailQuery(props.uid))
  return data && <Dialog {...props} holds={data.holds.length} />
}
