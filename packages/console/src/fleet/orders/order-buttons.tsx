import type { Ability } from '@sdd/contract/fleet/orders.ts'
import { Hash, RotateCcw, Stethoscope } from 'lucide-react'
import { isPending, useAsk, useOrders, whyNot } from './orders.ts'
import { orders as words } from './text.ts'
import type { Device, OrderDialogName } from '#console/fleet/devices/devices.ts'
import { Button } from '#console/ui/button.tsx'
import { useKeys } from '#console/ui/keys.ts'

const icons = { ussd: Hash, restart_radio: RotateCcw, logs: undefined, configure: undefined } as const

/** What a device can be asked to do. A button that cannot be used says why. */
export default function OrderButtons({
  device,
  abilities,
  onDialog,
}: {
  device: Device
  abilities: readonly Ability[]
  onDialog: (dialog: OrderDialogName) => void
}) {
  const { uid } = device
  const { orders } = useOrders(uid)
  const { mutate, isPending: asking } = useAsk(uid)
  const runs = asking || orders?.some((order) => order.what === 'doctor' && isPending(order)) === true
  const noDoctor = whyNot(device, abilities, 'doctor')
  const examine = () => mutate({ what: 'doctor' })
  useKeys({ d: noDoctor || runs ? undefined : examine })
  return (
    <>
      <Button needsServer disabled={Boolean(noDoctor) || runs} title={noDoctor} onClick={examine}>
        <Stethoscope className="size-4" aria-hidden="true" />
        {words.what.doctor}
      </Button>
      {(Object.keys(icons) as (keyof typeof icons)[]).map((what) => {
        const reason = whyNot(device, abilities, what)
        const Icon = icons[what]
        return (
          <Button
            key={what}
            needsServer
            disabled={reason !== undefined}
            title={reason}
            onClick={() => onDialog(what)}
          >
            {Icon && <Icon className="size-4" aria-hidden="true" />}
            {words.opens[what]}
          </Button>
        )
      })}
    </>
  )
}
