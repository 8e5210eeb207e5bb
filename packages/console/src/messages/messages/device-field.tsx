import { Search } from 'lucide-react'
import { Suspense, useRef, useState, type MouseEvent } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { hindrancesOf, phoneNumberOf, type Device } from '#console/fleet/devices/devices.ts'
import { send as words } from './text.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field, Select } from '#console/ui/field.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'

const DeviceChooser = lazyPart(() => import('./device-chooser.tsx'))

type Props = {
  /** The connected devices; undefined until loaded. */
  devices: readonly Device[] | undefined
  chosen: string
  onChoose: (uid: string) => void
}

/**
 * The device to send through. It is a plain select, for the keyboard and for a phone's own list. A click with the mouse,
 * or the button next to it, opens the list that can be searched and shows the state of each device.
 */
export function DeviceField({ devices, chosen, onChoose }: Props) {
  const select = useRef<HTMLSelectElement>(null)
  const pointer = useRef('')
  const [open, setOpen] = useState(false)
  const device = devices?.find(({ uid }) => uid === chosen)

  function press(event: MouseEvent): void {
    if (pointer.current !== 'mouse' || !devices || devices.length === 0) return
    // Instead of the browser's own list. The focus returns here when the other one closes.
    event.preventDefault()
    select.current?.focus()
    setOpen(true)
  }

  return (
    <Field label={words.device} hint={<DeviceHint devices={devices} device={device} chosen={chosen} />}>
      {(ids) => (
        <div className="flex gap-2">
          <Select
            {...ids}
            ref={select}
            tall
            className="flex-1"
            value={device ? chosen : ''}
            onPointerDown={({ pointerType }) => (pointer.current = pointerType)}
            onMouseDown={press}
            onChange={({ target }) => onChoose(target.value)}
          >
            <option value="">{words.choose}</option>
            {devices?.map(({ uid }) => (
              <option key={uid} value={uid}>
                {uid}
              </option>
            ))}
          </Select>
          <Button
            square
            size="lg"
            aria-label={words.findDevice}
            title={words.findDevice}
            disabled={!devices || devices.length === 0}
            onClick={() => setOpen(true)}
          >
            <Search className="size-[18px]" aria-hidden="true" />
          </Button>
          <Suspense>
            {open && devices && (
              <DeviceChooser
                devices={devices}
                onChoose={(uid) => {
                  setOpen(false)
                  onChoose(uid)
                }}
                onClose={() => setOpen(false)}
              />
            )}
          </Suspense>
        </div>
      )}
    </Field>
  )
}

/** What the chosen device will do with the message. */
function DeviceHint({
  devices,
  device,
  chosen,
}: {
  devices: Props['devices']
  device: Device | undefined
  chosen: string
}) {
  const now = useNow()
  if (!devices) return undefined
  if (!device) {
    if (chosen) return words.gone(chosen)
    return devices.length === 0 ? words.noneConnected : undefined
  }
  const { carrier, sent_today, max_sms_dayly } = device
  const use =
    max_sms_dayly !== undefined && words.usedToday(formatCount(sent_today ?? 0), formatCount(max_sms_dayly))
  return (
    <>
      {[carrier, phoneNumberOf(device), use].filter(Boolean).join(' · ') || text.deviceStatus.connected}
      {hindrancesOf(device, now).map((hindrance) => (
        <span key={hindrance} className="mt-1 flex items-center gap-1.5 font-medium text-warn">
          <MarkIcon mark="triangle" />
          {words.hindrances[hindrance]}
        </span>
      ))}
    </>
  )
}
