import type { Device } from './devices.ts'
import { signalBars, strengthUnit } from './signal.ts'

const BARS = [1, 2, 3, 4]

/** A mobile signal as bars and as its value. */
export function SignalBars({ signal }: Pick<Device, 'signal'>) {
  if (signal === null || signal === undefined) return null
  const level = signalBars(signal)
  return (
    <>
      {level !== undefined && (
        <svg viewBox="0 0 16 12" className="h-3 w-4 shrink-0" aria-hidden="true">
          {BARS.map((bar) => (
            <rect
              key={bar}
              x={bar * 4 - 4}
              y={12 - bar * 3}
              width="3"
              height={bar * 3}
              className={bar <= level ? 'fill-ink' : 'fill-line'}
            />
          ))}
        </svg>
      )}
      <span className="whitespace-nowrap">
        {signal} {strengthUnit(signal)}
      </span>
    </>
  )
}
