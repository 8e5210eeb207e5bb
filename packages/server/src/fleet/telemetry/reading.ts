import { telemetryRanges, type TelemetryValues } from '@sdd/contract/fleet/telemetry.ts'
import { AnyInstant } from '@sdd/contract/core/fields.ts'

/** What a device said about itself at one time. A field that it did not say is null. */
export type DeviceReading = TelemetryValues & { at_ms: number }

/** A device's clock may be off by this much. Beyond it, the server's counts. */
const CLOCK_OFF_MS = 5 * 60_000

/**
 * Reads a payload field by field: one that is out of range or of another type is dropped and counted.
 */
export function readTelemetry(
  payload: Readonly<Record<string, unknown>>,
  now_ms: number,
): { reading: DeviceReading; dropped: number } {
  let dropped = 0
  const said = (field: string, fits: (value: unknown) => boolean): unknown => {
    const value = payload[field] ?? null
    if (value === null || fits(value)) return value
    dropped++
    return null
  }
  const number = (field: keyof typeof telemetryRanges) => {
    const [least, most] = telemetryRanges[field]
    return said(field, (value) => typeof value === 'number' && value >= least && value <= most) as
      | number
      | null
  }
  const at = said('at', (value) => AnyInstant.safeParse(value).success) as string | null
  const at_ms = at === null ? now_ms : Date.parse(at)
  const reading = {
    at_ms: Math.abs(at_ms - now_ms) > CLOCK_OFF_MS ? now_ms : at_ms,
    battery: number('battery'),
    charging: said('charging', (value) => typeof value === 'boolean') as boolean | null,
    temperature: number('temperature'),
    disk_free_mb: number('disk_free_mb'),
    signal_dbm: number('signal_dbm'),
  }
  return { reading, dropped }
}
