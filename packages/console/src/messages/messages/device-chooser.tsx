import { hindrancesOf, phoneNumberOf, type Device, type Hindrance } from '#console/fleet/devices/devices.ts'
import { findDevices } from '#console/fleet/devices/find.ts'
import { send as words } from './text.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Chooser } from '#console/ui/chooser.tsx'
import { Pill, type Mark } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** The marks of devices that are not meant to send now. */
const rests: Partial<Record<Hindrance, Mark>> = { disabled: 'dash', maintenance: 'bars' }

/**
 * The connected devices: state, carrier, number and use of each. Of those that match equally well, those that send as
 * usual come first.
 */
export default function DeviceChooser({
  devices,
  onChoose,
  onClose,
}: {
  devices: readonly Device[]
  onChoose: (uid: string) => void
  onClose: () => void
}) {
  const now = useNow()
  const hindered = (device: Device) => Number(hindrancesOf(device, now).length > 0)

  function find(typed: string): Device[] {
    const ready = devices.toSorted((a, b) => hindered(a) - hindered(b))
    return findDevices(ready, typed)
  }

  return (
    <Chooser
      words={words.chooser}
      find={find}
      keyOf={({ uid }) => uid}
      onChoose={({ uid }) => onChoose(uid)}
      onClose={onClose}
    >
      {(device) => <DeviceOption device={device} now={now} />}
    </Chooser>
  )
}

function DeviceOption({ device, now }: { device: Device; now: number }) {
  const { uid, name, location, carrier, sent_today = 0, max_sms_dayly } = device
  const [hindrance] = hindrancesOf(device, now)
  const facts = [name, carrier, phoneNumberOf(device), location].filter(Boolean)
  return (
    <span className="flex items-center gap-2.5">
      <span className="min-w-0 flex-1">
        <b className="block font-semibold break-all">{uid}</b>
        {facts.length > 0 && <span className="block truncate text-sm text-muted">{facts.join(' · ')}</span>}
      </span>
      <span className="flex shrink-0 flex-col items-end gap-1">
        {hindrance ? (
          <Pill tone={rests[hindrance] ? 'off' : 'warn'} mark={rests[hindrance] ?? 'triangle'}>
            {words.hindered[hindrance]}
          </Pill>
        ) : (
          <Pill tone="ok" mark="dot">
            {words.ready}
          </Pill>
        )}
        {max_sms_dayly !== undefined && (
          <span className="text-sm text-muted tabular-nums">
            {words.usedToday(formatCount(sent_today), formatCount(max_sms_dayly))}
          </span>
        )}
      </span>
    </span>
  )
}
