import { devices as words } from './text.ts'
import { quarantineOf, type Device } from './devices.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime, hourTime } from '#console/ui/time.ts'

const DAY_MS = 86_400_000

/** Shown next to a device's status while repeated failures keep tasks away from it. */
export function QuarantineMark({ device }: { device: Device }) {
  const now = useNow()
  const until = quarantineOf(device, now)
  if (until === undefined) return null
  return (
    <span title={words.quarantineReason(device)}>
      <Pill tone="warn" mark="triangle">
        <span className="sr-only">{words.quarantinedUntil(timeOf(until, now))}</span>
        <span aria-hidden="true">
          {words.quarantinedShort} {timeOf(until, now)}
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
        <span className="block font-normal">{words.quarantineMeans(timeOf(until, now))}</span>
      </Notice>
    </div>
  )
}

/** The hour, with the date if it is a day or more away. */
function timeOf(until: number, now: number): string {
  return until - now < DAY_MS ? hourTime(until) : dayTime(new Date(until).toISOString())
}
