import { devices as words } from './text.ts'
import type { Device } from './devices.ts'
import { Pill } from '#console/ui/marks.tsx'

/** Beside the status of a device whose link is up and whose radio is not: its agent says so, and why. */
export function RadioMark({ radio }: Pick<Device, 'radio'>) {
  return (
    <span title={radio?.says}>
      <Pill tone="warn" mark="triangle">
        {words.radioDown}
        <span className="sr-only">: {radio?.says}</span>
      </Pill>
    </span>
  )
}
