import { ChevronDown, Send } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { statusChangedAt, type Device } from './devices.ts'
import { fleetState } from './fleet.ts'
import { QuarantineMark } from './quarantine.tsx'
import { RadioMark } from './radio-mark.tsx'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { dayTime } from '#console/ui/time.ts'

/** A row starts to flash only this soon after its change, in ms. */
const FLASH_MS = 1_500

/** The last line of a card. */
const FOOT = 'card:h-full card:border-t card:border-line card:pt-1.5'

type Spec = {
  labels: typeof words.columns
  /** The user may enable and disable. */
  manages: boolean
  /** Buttons have room for words. */
  roomy: boolean
}

export function deviceColumns({ labels, manages, roomy }: Spec): Column<Device>[] {
  return [
    {
      key: 'id',
      label: labels.id,
      width: roomy ? '64px' : '52px',
      card: 'id',
      mono: true,
      sorts: true,
      look: "text-muted card:text-right card:before:content-['ID_']",
      cell: ({ id }) => id,
    },
    {
      key: 'uid',
      label: labels.uid,
      width: roomy ? 'minmax(110px, 1.4fr)' : 'minmax(100px, 1.3fr)',
      card: 'uid',
      sorts: true,
      look: 'font-semibold wrap-anywhere card:text-lg',
      cell: ({ uid }) => uid,
    },
    {
      key: 'status',
      label: labels.status,
      width: roomy ? '144px' : '136px',
      card: 'status',
      sorts: true,
      look: 'flex tabular:flex-col tabular:items-start tabular:gap-[3px] card:flex-wrap card:gap-[5px]',
      cell: statusCell,
    },
    {
      key: 'location',
      label: labels.location,
      width: roomy ? 'minmax(80px, 1.2fr)' : 'minmax(76px, 1fr)',
      card: 'location',
      sorts: true,
      look: 'tabular:overflow-hidden tabular:whitespace-nowrap card:text-sm card:text-muted',
      cell: ({ location }) => location,
    },
    {
      key: 'created_at',
      label: labels.created_at,
      width: roomy ? 'minmax(150px, 0.8fr)' : 'minmax(104px, 0.7fr)',
      card: 'created',
      sorts: true,
      look: "text-muted tabular-nums card:text-sm card:before:content-[attr(data-label)_'_']",
      cell: ({ created_at }) => created_at && <time dateTime={created_at}>{dayTime(created_at)}</time>,
    },
    {
      key: 'enabled',
      label: labels.enabled,
      width: roomy ? '80px' : '76px',
      card: 'enabled',
      sorts: true,
      look: `card:-mr-2 ${FOOT}`,
      cell: ({ uid, enabled }) => (
        <label className="inline-flex min-h-7 items-center card:flex card:min-h-11 card:gap-2 card:pr-2">
          <input
            type="checkbox"
            data-act="enable"
            className="block size-[18px] card:size-[22px]"
            aria-label={words.enabled(uid)}
            checked={enabled}
            disabled={!manages}
            readOnly
          />
          <span aria-hidden="true" className="tabular:hidden">
            {labels.enabled}
          </span>
        </label>
      ),
    },
    {
      key: 'actions',
      label: labels.actions,
      width: roomy ? '236px' : '104px',
      card: 'actions',
      look: `-ml-2.5 flex items-center gap-1.5 card:justify-end ${FOOT}`,
      cell: actionsCell,
    },
  ]
}

function statusCell(device: Device) {
  const connected = device.status === 'connected'
  const radioDown = connected && device.radio?.ready === false
  return (
    <>
      <Pill tone={connected ? 'ok' : 'bad'} mark={connected ? 'dot' : 'square'}>
        {text.deviceStatus[device.status]}
      </Pill>
      {device.quarantined_until && <QuarantineMark device={device} />}
      {radioDown && !device.quarantined_until && <RadioMark radio={device.radio} />}
    </>
  )
}

function actionsCell({ status }: Device, open: boolean) {
  const word = 'tabular:max-[1200px]:sr-only'
  return (
    <>
      <Button size="sm" tone="ghost" className="group" aria-expanded={open} data-opens data-act="toggle">
        <span className={word}>{words.details}</span>
        <ChevronDown
          className="size-4 transition-transform duration-[120ms] ease-[ease] group-aria-expanded:rotate-180"
          aria-hidden="true"
        />
      </Button>
      <Button size="sm" disabled={status !== 'connected'} data-act="send">
        <Send className="size-3.5" aria-hidden="true" />
        <span className={word}>{words.send}</span>
      </Button>
    </>
  )
}

/** The state of a device's row, and its flash after a change. Two alternating names restart the animation. */
export function deviceRowData(device: Device) {
  const at = statusChangedAt(device)
  const flashes = at !== undefined && Date.now() - at <= FLASH_MS
  return {
    'data-state': fleetState(device),
    'data-flash': flashes ? (device.status === 'connected' ? 'a' : 'b') : undefined,
  }
}
