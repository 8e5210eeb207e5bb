import { ChevronDown, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { useGoneLook } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { devices as words } from './text.ts'
import { hindrancesOf, statusChangedAt, type Device, type Hindrance } from './devices.ts'
import { fleetState } from './fleet.ts'
import { MaintenanceMark } from './maintenance.tsx'
import { QuarantineMark } from './quarantine.tsx'
import type { ExtraColumn } from './search.ts'
import { SignalBars } from './signal-bars.tsx'
import { RadioMark } from './radio-mark.tsx'
import { Button } from '#console/ui/button.tsx'
import { Ago } from '#console/ui/ago.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { dayTime } from '#console/ui/time.ts'

/** A row starts to flash only this soon after its change, in ms. */
const FLASH_MS = 1_500

/** A column that was added, with its label in a card. */
const EXTRA = "card:text-sm card:text-muted card:before:content-[attr(data-label)_'_'] card:empty:hidden"

/** The last line of a card. */
const FOOT = 'card:h-full card:border-t card:border-line card:pt-1.5'

type Spec = {
  labels: typeof words.columns
  /** The user may enable and disable. */
  manages: boolean
  /** Buttons have room for words. */
  roomy: boolean
  /** Names and tags do not get a line of their own. */
  compact: boolean
  /** Shown between the columns of the user specification. */
  extras: readonly ExtraColumn[]
}

export function deviceColumns({ labels, manages, roomy, compact, extras }: Spec): Column<Device>[] {
  const columns: Column<Device>[] = [
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
      cell: ({ uid, name }) => (
        <>
          <a
            href={`/devices/${encodeURIComponent(uid)}`}
            data-act="page"
            className="hover:underline card:relative card:before:absolute card:before:-inset-3"
          >
            {uid}
          </a>
          {name && (
            <span
              className={`text-sm font-normal text-muted ${compact ? 'tabular:ml-1.5 card:block' : 'block'}`}
            >
              {name}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'status',
      label: labels.status,
      width: '154px',
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
      cell: ({ location, tags = [] }) => (
        <>
          {location}
          {tags.length > 0 && <Tags tags={tags} compact={compact} />}
        </>
      ),
    },
    {
      key: 'created_at',
      label: labels.created_at,
      width: roomy ? 'minmax(150px, 0.8fr)' : '140px',
      card: 'created',
      sorts: true,
      look: "text-muted tabular-nums tabular:whitespace-nowrap card:text-sm card:before:content-[attr(data-label)_'_']",
      cell: ({ created_at }) => created_at && <time dateTime={created_at}>{dayTime(created_at)}</time>,
    },
    {
      key: 'enabled',
      label: labels.enabled,
      width: roomy ? '80px' : '76px',
      card: 'enabled',
      sorts: true,
      look: `card:-mr-2 ${FOOT}`,
      cell: (device) => <EnabledBox device={device} label={labels.enabled} manages={manages} />,
    },
    {
      key: 'actions',
      label: labels.actions,
      width: roomy ? '236px' : '86px',
      card: 'actions',
      look: `-ml-2.5 flex items-center gap-1.5 card:justify-end ${FOOT}`,
      cell: roomy ? actionsCell : iconsCell,
    },
  ]
  const place = columns.findIndex(({ key }) => key === 'created_at')
  return columns.toSpliced(
    place,
    0,
    ...extras.map((key) => ({ ...extraColumn[key], key, label: labels[key] })),
  )
}

const extraColumn: Record<ExtraColumn, Omit<Column<Device>, 'key' | 'label'>> = {
  last_seen_at: {
    width: '112px',
    card: 'seen',
    sorts: true,
    look: `${EXTRA} tabular-nums`,
    cell: ({ last_seen_at }) => last_seen_at && <Ago at={last_seen_at} />,
  },
  carrier: {
    width: '90px',
    card: 'carrier',
    sorts: true,
    look: `${EXTRA} tabular:wrap-anywhere`,
    cell: ({ carrier }) => carrier,
  },
  signal: {
    width: '96px',
    card: 'signal',
    sorts: true,
    look: `${EXTRA} flex items-center gap-1.5`,
    cell: ({ signal }) => <SignalBars signal={signal} />,
  },
  sent_today: {
    width: '108px',
    card: 'today',
    sorts: true,
    look: `${EXTRA} whitespace-nowrap tabular-nums`,
    cell: ({ sent_today, max_sms_dayly }) =>
      sent_today !== undefined && `${sent_today} / ${max_sms_dayly ?? text.none}`,
  },
}

/** A line of their own in a table. */
function Tags({ tags, compact }: { tags: readonly string[]; compact: boolean }) {
  const list = tags.join(' · ')
  return (
    <span
      title={list}
      className={`text-sm text-muted card:before:content-['_·_'] ${compact ? 'tabular:ml-1.5' : 'tabular:block tabular:truncate'}`}
    >
      <span className="sr-only">{words.tags}: </span>
      {list}
    </span>
  )
}

function statusCell(device: Device) {
  return <StatusMarks device={device} />
}

/** The status of a device, and the reasons why it does not send as usual. */
export function StatusMarks({ device }: { device: Device }) {
  const connected = device.status === 'connected'
  const radioDown = connected && device.radio?.ready === false
  return (
    <>
      <Pill tone={connected ? 'ok' : 'bad'} mark={connected ? 'dot' : 'square'}>
        {text.deviceStatus[device.status]}
      </Pill>
      {hindrancesOf(device).map((hindrance) => marks[hindrance]?.(device))}
      {device.maintenance_until && <MaintenanceMark device={device} />}
      {device.quarantined_until && <QuarantineMark device={device} />}
      {radioDown && !device.quarantined_until && <RadioMark radio={device.radio} />}
    </>
  )
}

/** The others have marks of their own. */
const marks: Partial<Record<Hindrance, (device: Device) => ReactNode>> = {
  disabled: () => (
    <Pill key="disabled" tone="off" mark="dash">
      {words.disabledShort}
    </Pill>
  ),
  exhausted: ({ sent_today, max_sms_dayly }) => (
    <Pill key="exhausted" tone="warn" mark="triangle">
      {words.limitReached(String(sent_today), String(max_sms_dayly))}
    </Pill>
  ),
}

/** Acts at once. */
function EnabledBox({
  device: { uid, enabled },
  label,
  manages,
}: {
  device: Device
  label: string
  manages: boolean
}) {
  const gone = useGoneLook()
  return (
    <label
      className="inline-flex min-h-7 items-center card:flex card:min-h-11 card:gap-2 card:pr-2"
      title={gone?.title}
    >
      <input
        type="checkbox"
        data-act="enable"
        className="block size-[18px] card:size-[22px]"
        aria-label={words.enabled(uid)}
        checked={enabled}
        disabled={!manages || gone?.disabled}
        readOnly
      />
      <span aria-hidden="true" className="tabular:hidden">
        {label}
      </span>
    </label>
  )
}

function actionsCell(device: Device, open: boolean) {
  return <Actions device={device} open={open} word="" />
}

/** Without room for words, only screen readers get them. */
function iconsCell(device: Device, open: boolean) {
  return <Actions device={device} open={open} word="tabular:sr-only" />
}

function Actions({ device, open, word }: { device: Device; open: boolean; word: string }) {
  const { uid, status } = device
  const [hindrance] = hindrancesOf(device)
  return (
    <>
      <Button
        size="sm"
        tone="ghost"
        className="group"
        aria-expanded={open}
        aria-label={words.detailsOf(uid)}
        data-opens
        data-act="toggle"
      >
        <span className={word}>{words.details}</span>
        <ChevronDown
          className="size-4 transition-transform duration-[120ms] ease-[ease] group-aria-expanded:rotate-180"
          aria-hidden="true"
        />
      </Button>
      <Button
        needsServer
        size="sm"
        disabled={status !== 'connected'}
        aria-label={words.sendBy(uid)}
        title={status === 'connected' && hindrance ? words.hindrances[hindrance] : undefined}
        data-act="send"
      >
        <Send className="size-3.5" aria-hidden="true" />
        <span className={`${word} card:in-[.selecting]:sr-only`}>{words.send}</span>
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
