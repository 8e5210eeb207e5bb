import { text } from '#console/core/text.ts'
import type { Device } from '#console/devices/devices.ts'
import { Pill } from '#console/ui/marks.tsx'

/** Beside the status of a device whose link is up and whose radio is not: its agent says so, and why. */
export function RadioMark({ radio }: Pick<Device, 'radio'>) {
  return (
    <span title={radio?.says}>
      <Pill tone="warn" mark="triangle">
        {text.devices.radioDown}
        <span className="sr-only">: {radio?.says}</span>
      </Pill>
    </span>
  )
}
