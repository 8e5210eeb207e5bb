import { devices as words } from './text.ts'
import type { Device } from './devices.ts'
import { Pill } from '#console/ui/marks.tsx'

/** Shown next to the status of a connected device whose radio does not work, with the agent's reason. */
export function RadioMark({ radio }: Pick<Device, 'radio'>) {
  const says = radio ? words.radioSays(radio.says) : undefined
  return (
    <span title={says}>
      <Pill tone="warn" mark="triangle">
        {words.radioDown}
        <span className="sr-only">: {says}</span>
      </Pill>
    </span>
  )
}
