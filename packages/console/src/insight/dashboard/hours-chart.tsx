import { Link, type LinkProps } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { dashboard as words } from './text.ts'
import { FIGURES_TABLE } from './box.tsx'
import { isSurge, usualShare, type Figures, type Hour } from './figures.ts'
import { dashboardLinks } from './links.ts'
import { Box } from '#console/ui/box.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { Segmented } from '#console/ui/segmented.tsx'
import { dayName, hourTime } from '#console/ui/time.ts'

const HOUR_MS = 3_600_000

/** The parts of an hour's column, from the bottom up. */
const bands = [
  { part: 'delivered', fill: 'fill-ok-solid', swatch: 'bg-ok-solid', opacity: 0.75 },
  { part: 'sent', fill: 'fill-ok-solid', swatch: 'bg-ok-solid', opacity: 0.35 },
  { part: 'waiting', fill: 'fill-info-solid', swatch: 'bg-info-solid', opacity: 1 },
  { part: 'cancelled', fill: 'fill-off-solid', swatch: 'bg-off-solid', opacity: 1 },
  { part: 'failed', fill: 'fill-bad-solid', swatch: 'bg-bad-solid', opacity: 1 },
] as const

/** The hatch in the legend. */
const STRIPES = 'bg-[repeating-linear-gradient(var(--color-panel)_0_1px,transparent_1px_3px)]'

const TRACKS = { day: 'grid grid-cols-[repeat(24,minmax(0,1fr))]', week: 'grid grid-cols-7' }

const COLUMN = 10
const HEIGHT = 100

export type ChartRange = keyof typeof TRACKS
const RANGES = ['day', 'week'] as const

/**
 * The messages by state: one column per hour of the last day, with the day before as a line behind them, or one per day
 * of the last week.
 */
export function HoursChart({
  figures,
  range,
  onRange,
}: {
  figures: Figures
  range: ChartRange
  onRange: (range: ChartRange) => void
}) {
  const [pointed, setPointed] = useState<number>()
  // The week is shown once it is loaded.
  const shown = figures.week.length > 0 ? range : 'day'
  const columns = shown === 'week' ? figures.week : figures.day
  const before = shown === 'week' ? [] : figures.dayBefore
  const top = niceTop(Math.max(...[...columns, ...before].map(({ total }) => total)))
  const usual = usualShare([...before, ...columns])
  const used = bands.filter(({ part }) => columns.some((hour) => hour[part] > 0))
  const hour = pointed === undefined ? undefined : columns[pointed]
  const nameOf = shown === 'week' ? dayName : hourTime
  const linkOf = (n: number) =>
    dashboardLinks.logs({
      from: columns[n]!.from,
      to: columns[n + 1]?.from ?? lastEnd(columns[n]!.from, shown),
    })
  return (
    <Box title={words.hours[shown]} beside={<Legend bands={used} ghost={before.length > 0} />}>
      <div className="mb-2 flex items-center gap-3">
        <p aria-hidden="true" className="min-w-0 flex-1 truncate text-sm text-muted">
          {hour ? (
            <Readout name={nameOf(hour.from)} hour={hour} before={before[pointed!]} />
          ) : (
            words.last[shown]
          )}
        </p>
        <Segmented
          label={words.range}
          choices={RANGES}
          labels={words.ranges}
          pressed={range}
          onPress={onRange}
          className="shrink-0 text-sm"
        />
      </div>
      <div
        aria-hidden="true"
        className="grid flex-1 gap-x-2 text-xs text-muted tabular-nums [grid-template:'scale_plot'_236px_'._times'_auto/auto_minmax(0,1fr)] max-md:grid-rows-[150px_auto]"
      >
        <div className="-my-2 flex flex-col justify-between text-right [grid-area:scale]">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{formatCount(value)}</span>
          ))}
        </div>
        <div className="relative [grid-area:plot]">
          <Columns day={columns} dayBefore={before} top={top} usual={shown === 'day' ? usual : undefined} />
          <div className={`absolute inset-0 ${TRACKS[shown]}`}>
            {columns.map(({ from }, n) => (
              <Link
                key={from}
                {...linkOf(n)}
                tabIndex={-1}
                aria-hidden="true"
                onPointerEnter={() => setPointed(n)}
                onPointerLeave={() => setPointed(undefined)}
                className="hover:bg-ink/9"
              />
            ))}
          </div>
        </div>
        <div className={`pt-[5px] whitespace-nowrap [grid-area:times] ${TRACKS[shown]}`}>
          {columns.map(({ from }, n) =>
            shown === 'week' ? (
              <span key={from} className="truncate text-center">
                {dayName(from)}
              </span>
            ) : (
              <span key={from} className="max-md:nth-[6n+4]:invisible">
                {n % 3 === 0 && hourTime(from)}
              </span>
            ),
          )}
        </div>
      </div>
      <HoursTable columns={columns} before={before} range={shown} nameOf={nameOf} linkOf={linkOf} />
    </Box>
  )
}

/** When the last column ends: the current hour, or today. */
function lastEnd(from: number, range: ChartRange): number {
  return range === 'day' ? from + HOUR_MS : new Date(from).setHours(24, 0, 0, 0)
}

function Columns({
  day,
  dayBefore,
  top,
  usual,
}: {
  day: Hour[]
  dayBefore: Hour[]
  top: number
  /** Without it, no column is marked as a surge. */
  usual: number | undefined
}) {
  const y = (value: number) => HEIGHT * (1 - value / top)
  // `failed` is the last band, on top of all others.
  const failedColumns = day.map((hour, n) => {
    const drawn = bands.reduce((sum, { part }) => sum + hour[part], 0)
    return column(n, y(drawn), y(drawn - hour.failed))
  })
  const ghost = dayBefore.map(({ total }, n) => `${n === 0 ? 'M' : 'L'}${n * COLUMN} ${y(total)}h${COLUMN}`)
  return (
    <svg
      viewBox={`0 0 ${day.length * COLUMN} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="absolute inset-0 size-full overflow-visible"
    >
      {day.map((hour, n) =>
        usual !== undefined && isSurge(hour, usual) ? (
          <rect key={hour.from} x={n * COLUMN} width={COLUMN} height={HEIGHT} className="fill-bad-bg" />
        ) : null,
      )}
      {[0, 0.5, 1].map((share) => (
        <path
          key={share}
          d={`M0 ${HEIGHT * share}h${day.length * COLUMN}`}
          vectorEffect="non-scaling-stroke"
          className="stroke-line"
        />
      ))}
      {bands.map(({ part, fill, opacity }, band) => (
        <path
          key={part}
          d={day
            .map((hour, n) => {
              const below = bands.slice(0, band).reduce((sum, lower) => sum + hour[lower.part], 0)
              return column(n, y(below + hour[part]), y(below))
            })
            .join('')}
          className={fill}
          opacity={opacity}
        />
      ))}
      <Hatch areas={failedColumns.join('')} />
      <path
        d={ghost.join('')}
        fill="none"
        strokeDasharray="4 4"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        className="stroke-muted"
      />
    </svg>
  )
}

/** Light lines across these areas, so that they differ from others without their colour. */
function Hatch({ areas }: { areas: string }) {
  const id = useId()
  return (
    <>
      <pattern id={id} width={COLUMN} height="3" patternUnits="userSpaceOnUse">
        <rect width={COLUMN} height="1" className="fill-panel" />
      </pattern>
      <path d={areas} fill={`url(#${id})`} />
    </>
  )
}

function column(n: number, from: number, to: number): string {
  if (to - from <= 0) return ''
  return `M${n * COLUMN + 1} ${from}h${COLUMN - 2}V${to}h-${COLUMN - 2}z`
}

function Legend({
  bands,
  ghost,
}: {
  bands: readonly { part: keyof typeof words.bands; swatch: string; opacity: number }[]
  ghost: boolean
}) {
  return (
    <span className="flex flex-wrap gap-x-3.5">
      {bands.map(({ part, swatch, opacity }) => (
        <span key={part} className="flex items-center gap-1.5">
          <i
            className={`size-2.5 rounded-[1px] ${swatch} ${part === 'failed' ? STRIPES : ''}`}
            style={{ opacity }}
            aria-hidden="true"
          />
          {words.bands[part]}
        </span>
      ))}
      {ghost && (
        <span className="flex items-center gap-1.5">
          <i className="w-3 border-t-2 border-dashed border-muted" aria-hidden="true" />
          {words.yesterday}
        </span>
      )}
    </span>
  )
}

function Readout({ name, hour, before }: { name: string; hour: Hour; before: Hour | undefined }) {
  return (
    <>
      <b className="font-semibold text-ink">
        {name} · {formatCount(hour.total)}
      </b>
      {bands
        .filter(({ part }) => hour[part] > 0)
        .map(({ part }) => ` · ${words.bands[part].toLowerCase()} ${formatCount(hour[part])}`)}
      {before && ` · ${words.yesterday.toLowerCase()} ${formatCount(before.total)}`}
    </>
  )
}

/** The same figures as a table, for screen readers and the keyboard. */
function HoursTable({
  columns,
  before,
  range,
  nameOf,
  linkOf,
}: {
  columns: Hour[]
  before: Hour[]
  range: ChartRange
  nameOf: (from: number) => string
  linkOf: (n: number) => LinkProps
}) {
  return (
    <details className="mt-2 text-sm">
      <summary className="w-fit cursor-pointer py-1 font-medium text-link max-md:py-3">
        {words.asTable}
      </summary>
      <div className="overflow-x-auto">
        <table className={FIGURES_TABLE} aria-label={words.hours[range]}>
          <thead>
            <tr>
              <th scope="col">{words.column[range]}</th>
              <th scope="col">{words.total}</th>
              {bands.map(({ part }) => (
                <th key={part} scope="col">
                  {words.bands[part]}
                </th>
              ))}
              {before.length > 0 && <th scope="col">{words.yesterday}</th>}
            </tr>
          </thead>
          <tbody>
            {columns.map((hour, n) => (
              <tr key={hour.from}>
                <th scope="row">
                  <Link
                    {...linkOf(n)}
                    className="underline max-md:inline-flex max-md:min-h-11 max-md:items-center"
                  >
                    {nameOf(hour.from)}
                  </Link>
                </th>
                <td>{formatCount(hour.total)}</td>
                {bands.map(({ part }) => (
                  <td key={part}>{formatCount(hour[part])}</td>
                ))}
                {before.length > 0 && <td>{formatCount(before[n]?.total ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** The next round number from `most` up whose half is round too. */
function niceTop(most: number): number {
  if (most <= 10) return Math.max(4, 2 * Math.ceil(most / 2))
  const unit = 10 ** Math.floor(Math.log10(most))
  const times = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8].find((step) => step * unit >= most) ?? 10
  return Math.round(times * unit)
}
