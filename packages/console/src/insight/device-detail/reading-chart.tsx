import { useId } from 'react'
import { domainOf, partsOf, spotAt, ticksOf, type Period, type Reading } from './readings.ts'
import { deviceDetail as words } from './text.ts'
import type { TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import type { HistorySpan } from '#console/fleet/devices/devices.ts'
import { formatTenths } from '#console/ui/numbers.ts'
import { dayName, hourTime, shortTime } from '#console/ui/time.ts'

/** In units of the drawing, which is stretched to its box. */
const [WIDTH, HEIGHT] = [1_000, 100]

const EMPTY = { telemetry: [], span: '7d', period: { from: 0, to: 0 } } as const

/** One reading over the period. All charts of a device share its time axis, its absences and the cursor. */
export function ReadingChart({
  reading,
  history,
  latest,
  note,
  absences,
  cursor,
  onCursor,
}: {
  reading: Reading
  /** Undefined until loaded. */
  history: { telemetry: TelemetryPoint[]; span: HistorySpan; period: Period } | undefined
  latest: number
  /** A further fact about the latest value. */
  note: string | undefined
  absences: readonly Period[]
  /** A time in ms. */
  cursor: number | undefined
  onCursor: (at: number | undefined) => void
}) {
  const id = useId()
  const { telemetry, span, period } = history ?? EMPTY
  const parts = partsOf(telemetry, reading)
  const values = parts.flat().map(({ value }) => value)
  const [low, high] = domainOf(reading, values)
  const share = (at: number) => (at - period.from) / (period.to - period.from)
  const x = (at: number) => Math.round(share(at) * WIDTH)
  const y = (value: number) => (HEIGHT * (high - value)) / (high - low)
  const spot = cursor === undefined ? undefined : spotAt(parts, cursor, period)
  const value = words.readingValue[reading]
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption id={id} className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-muted">{words.readings[reading]}</span>
        <b className="font-bold tabular-nums">{value(spot?.value ?? latest)}</b>
        <span className="ml-auto text-sm text-muted">
          {cursor === undefined ? note : spot ? shortTime(new Date(spot.at).toISOString()) : words.noReading}
        </span>
        {values.length > 0 && (
          <span className="sr-only">
            {words.extremes(value(Math.min(...values)), value(Math.max(...values)))}
          </span>
        )}
      </figcaption>
      <div aria-hidden="true" className="mt-2 flex gap-x-2 text-xs text-muted tabular-nums">
        <div className="-my-2 flex w-8 shrink-0 flex-col justify-between text-right">
          {[high, (high + low) / 2, low].map((tick) => (
            <span key={tick}>{formatTenths(tick)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-20 min-w-0 flex-1 overflow-visible"
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect()
            onCursor(period.from + ((clientX - left) / width) * (period.to - period.from))
          }}
          onPointerLeave={() => onCursor(undefined)}
        >
          <rect width={WIDTH} height={HEIGHT} fill="transparent" />
          {absences.map(({ from, to }) => (
            <rect
              key={from}
              x={x(from)}
              width={Math.max(2, x(to) - x(from))}
              height={HEIGHT}
              className="fill-bad-bg"
            />
          ))}
          <path d={`M0 0h${WIDTH}M0 50h${WIDTH}M0 100h${WIDTH}`} className="stroke-line" {...HAIR} />
          {cursor !== undefined && (
            <path d={`M${x(cursor)} 0v${HEIGHT}`} className="stroke-line-strong" {...HAIR} />
          )}
          <path d={pathOf(parts, x, y)} className="fill-none stroke-ink" {...LINE} />
          <path
            d={pathOf(
              parts.filter(({ length }) => length === 1),
              x,
              y,
            )}
            className="fill-none stroke-ink"
            strokeLinecap="round"
            {...DOT}
          />
        </svg>
      </div>
      <div aria-hidden="true" className="relative ml-10 h-5 text-xs text-muted tabular-nums">
        {ticksOf(span, period).map((at) => (
          <span
            key={at}
            className={`absolute top-1 whitespace-nowrap ${span === '7d' ? 'max-md:even:hidden' : ''}`}
            style={{ left: `${share(at) * 100}%` }}
          >
            {span === '24h' ? hourTime(at) : dayName(at)}
          </span>
        ))}
      </div>
    </figure>
  )
}

/** Strokes keep their width although the drawing is stretched. */
const LINE = { vectorEffect: 'non-scaling-stroke', strokeWidth: 1.5 } as const
const DOT = { vectorEffect: 'non-scaling-stroke', strokeWidth: 4 } as const
const HAIR = { vectorEffect: 'non-scaling-stroke', strokeWidth: 1 } as const

/** A single value is a line of no length. Round ends make it a dot. */
function pathOf(
  parts: ReturnType<typeof partsOf>,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  return parts
    .map((part) => `M${part.map(({ at, value }) => `${x(at)} ${y(value).toFixed(1)}`).join('L')}h0`)
    .join('')
}
