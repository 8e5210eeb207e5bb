/** A signal of `-94` or `-94 dBm` as a number; undefined if the device's words have none. */
export function signalStrength(signal: string | number | null | undefined): number | undefined {
  if (signal === null || signal === undefined) return undefined
  const value = typeof signal === 'number' ? signal : Number.parseFloat(signal)
  return Number.isNaN(value) ? undefined : value
}

/** Android reports signal strength in dBm, always negative. Other values are the device's own levels. */
export function strengthUnit(value: string | number | null | undefined): string | undefined {
  return typeof value === 'number' && value < 0 ? 'dBm' : undefined
}

/** The least dBm of 1, 2, 3 and 4 bars. */
const LEVELS = [-112, -103, -93, -83]

/** Bars from 0 to 4; undefined if the signal is not in dBm. */
export function signalBars(signal: string | number | null | undefined): number | undefined {
  const dbm = signalStrength(signal)
  return dbm === undefined || dbm >= 0 ? undefined : LEVELS.filter((least) => dbm >= least).length
}
