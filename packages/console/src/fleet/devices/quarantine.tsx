import { devices as words } from './text.ts'
import { quarantineOf, type Device } from './devices.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { untilTime } from '#console/ui/time.ts'

/** Shown next to a device's status while repeated failures keep tasks away from it. */
export function QuarantineMark({ device }: { device: Device }) {
  const now = useNow()
  const until = quarantineOf(device, now)
  if (until === undefined) return null
  return (
    <span title={words.quarantineReason(device)}>
      <Pill tone="warn" mark="triangle">
        <span className="sr-only">{words.quarantinedUntil(untilTime(until, now))}</span>
        <span aria-hidden="true">
          {words.quarantinedShort} {untilTime(until, now)}
        </span>
      </Pill>
    </span>
  )
}

/** The quarantine in the device's details, with its reason. */
export function QuarantineNotice({ device }: { device: Device }) {
  const now = useNow()
  const until = quarantineOf(device, now)
  if (until === undefined) return null
  const reason = words.quarantineReason(device)
  return (
    <div className="p-3">
      <Notice tone="warn">
        <b className="block font-semibold">{words.quarantined}</b>
        {reason && <span className="block">{reason}</span>}
        <span className="block font-normal">{words.quarantineMeans(untilTime(until, now))}</span>
      </Notice>
    </div>
  )
}
