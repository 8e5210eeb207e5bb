import { useMutation, useQueryClient } from '@tanstack/react-query'
import { devices as words } from './text.ts'
import { editDevice } from './calls.ts'
import { maintenanceOf, type Device } from './devices.ts'
import { faultText } from '#console/core/api.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { untilTime } from '#console/ui/time.ts'
import { toast } from '#console/ui/toast.tsx'

/** Shown next to a device's status while a person works on it. */
export function MaintenanceMark({ device }: { device: Device }) {
  const now = useNow()
  const until = maintenanceOf(device, now)
  if (until === undefined) return null
  const said = words.maintenanceUntil(untilTime(until, now))
  return (
    <span title={said}>
      <Pill tone="off" mark="bars">
        <span className="sr-only">{said}</span>
        <span aria-hidden="true">{words.maintenanceShort}</span>
      </Pill>
    </span>
  )
}

/** What the maintenance means, on the device's page. Who may change the device can end it. */
export function MaintenanceNotice({ device, manages }: { device: Device; manages: boolean }) {
  const now = useNow()
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationKey: ['device-maintenance'],
    mutationFn: () => editDevice(client, device.uid, { maintenance_until: null }),
    onError: (fault) => toast({ text: faultText(fault, words.maintenanceStays) }),
  })
  const until = maintenanceOf(device, now)
  if (until === undefined) return null
  return (
    <Notice
      tone="warn"
      retry={manages ? { label: words.endMaintenance, run: () => !isPending && mutate() } : undefined}
    >
      <b className="block font-semibold">{words.maintenanceUntil(untilTime(until, now))}</b>
      <span className="block font-normal">{words.maintenanceMeans}</span>
    </Notice>
  )
}
