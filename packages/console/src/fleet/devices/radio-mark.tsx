import { devices as words } from './text.ts'
import type { Device } from './devices.ts'
import { Pill } from '#console/ui/marks.tsx'

/** Shown next to the status of a connected device whose radio does not work, with the agent's reason. */
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
