import type { Devices } from '#server/database/device-tables.ts'

/** Until when the device is in maintenance; `undefined` if it is not. */
export function maintainedUntil(
  { maintenance_until }: Pick<Devices, 'maintenance_until'>,
  now: string,
): string | undefined {
  return maintenance_until !== null && maintenance_until > now ? maintenance_until : undefined
}

export function inMaintenance(device: Pick<Devices, 'maintenance_until'>, now: string): boolean {
  return maintainedUntil(device, now) !== undefined
}

/** The condition of a statement that a device is in no maintenance at `:now`. */
export const NO_MAINTENANCE = '(maintenance_until is null or maintenance_until <= :now)'
