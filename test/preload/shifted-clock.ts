import { readFileSync } from 'node:fs'

// Loaded before the server by `--import`: shifts the machine's clock by the milliseconds in the file named by
// CLOCK_SHIFT. `performance.now` stays untouched, as setting a clock does not change it either.

const RealDate = Date
const LOOK_MS = 20

let shift_ms = 0
let looked_ms = -LOOK_MS

function now(): number {
  if (performance.now() - looked_ms >= LOOK_MS) {
    looked_ms = performance.now()
    shift_ms = Number(readFileSync(process.env.CLOCK_SHIFT ?? '', 'utf8'))
  }
  return RealDate.now() + shift_ms
}

globalThis.Date = class extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [now()] : parts) as [number]))
  }

  static override now = now
} as DateConstructor
