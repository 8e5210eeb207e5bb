import type { DeviceDetail } from '@sdd/contract/insight/device-detail.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Device } from '#console/fleet/devices/devices.ts'
import SimBoxes from '#console/fleet/sims/sim-boxes.tsx'
import { detailQuery } from '#console/insight/device-detail/device-detail.ts'
import { openAlertsQuery } from '#console/outward/alerts/calls.ts'

/** The SIMs of a device. A balance is amber while an alert about it is open. */
export default function DeviceSims({
  device,
  abilities,
  sims,
}: Pick<DeviceDetail, 'abilities' | 'sims'> & { device: Device }) {
  const client = useQueryClient()
  const { data: alerts = [] } = useQuery(openAlertsQuery)
  const low = alerts.filter(({ rule }) => rule.condition === 'balance_low').map(({ subject }) => subject.id)
  const onChanged = () => client.invalidateQueries(detailQuery(device.uid))
  return <SimBoxes device={device} abilities={abilities} sims={sims} low={low} onChanged={onChanged} />
}
