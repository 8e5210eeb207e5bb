import { ChevronDown, Send } from 'lucide-react'
import { memo } from 'react'
import { devices as words } from './text.ts'
import { changedAt, type Device } from './devices.ts'
import { fleetState } from './fleet.ts'
import { QuarantineMark } from './quarantine.tsx'
import { RadioMark } from './radio-mark.tsx'
import { Button } from '#console/ui/button.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { placed, type Place } from '#console/ui/row-table.tsx'
import { dayTime } from '#console/ui/time.ts'
import { as } from '#console/ui/table-roles.ts'

/** How long after a change a row may still begin to flash, in ms. */
const FLASH_MS = 1_500

type Props = Place & {
  device: Device
  open: boolean
  manages: boolean
  onToggle: (uid: string) => void
  onSend: (uid: string) => void
  onEnabled: (uid: string, enabled: boolean) => void
}

/** Plain cells, drawn again only when the device's object is another one: there may be 500 changes a second. */
export const DeviceRow = memo(function DeviceRow({
  device,
  open,
  manages,
  onToggle,
  onSend,
  onEnabled,
  ...place
}: Props) {
  const { uid, status, enabled } = device
  const connected = status === 'connected'
  const radioDown = connected && device.radio?.ready === false
  return (
    <tr {...placed(place)} data-state={fleetState(device)} data-flash={flash(device)}>
      <td {...as.cell} className="id mono">
        {device.id}
      </td>
      <td {...as.cell} className="uid">
        {uid}
      </td>
      <td {...as.cell} className="status">
        <Pill tone={connected ? 'ok' : 'bad'} mark={connected ? 'dot' : 'square'}>
          {status}
        </Pill>
        {device.quarantined_until && <QuarantineMark device={device} />}
        {radioDown && !device.quarantined_until && <RadioMark radio={device.radio} />}
      </td>
      <td {...as.cell} className="location">
        {device.location}
      </td>
      <td {...as.cell} className="created" data-label={words.columns.created_at}>
        {device.created_at && <time dateTime={device.created_at}>{dayTime(device.created_at)}</time>}
      </td>
      <td {...as.cell} className="enabled">
        <label>
          <input
            type="checkbox"
            aria-label={words.enabled(uid)}
            checked={enabled}
            disabled={!manages}
            onChange={() => onEnabled(uid, !enabled)}
          />
          <span aria-hidden="true">{words.columns.enabled}</span>
        </label>
      </td>
      <td {...as.cell} className="actions">
        <Button size="sm" tone="ghost" aria-expanded={open} data-opens onClick={() => onToggle(uid)}>
          <span>{words.details}</span>
          <ChevronDown className="chevron size-4" aria-hidden="true" />
        </Button>
        <Button size="sm" disabled={!connected} onClick={() => onSend(uid)}>
          <Send className="size-3.5" aria-hidden="true" />
          <span>{words.send}</span>
        </Button>
      </td>
    </tr>
  )
})

/** Two names by turns, so that a second change starts the animation again. */
function flash(device: Device): 'a' | 'b' | undefined {
  const at = changedAt(device)
  if (at === undefined || Date.now() - at > FLASH_MS) return undefined
  return device.status === 'connected' ? 'a' : 'b'
}
