import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { dashboard as words } from './text.ts'
import { CoveringLink } from './box.tsx'
import { deliveredShare, type Figures, type Hour } from './figures.ts'
import { dashboardLinks } from './links.ts'
import { HourBars, ConnectedChart } from './spark.tsx'
import { Ago } from '#console/ui/ago.tsx'
import { formatCount, formatPercent, formatTenths } from '#console/ui/numbers.ts'
import { formatDuration, hourTime } from '#console/ui/time.ts'

type Props = { dashboard: Dashboard; figures: Figures }

/** Five figures in one row; in rows of three and two on a narrow screen, and in pairs on a phone. */
export const KEY_FIGURES_GRID = [
  'grid grid-cols-[1.15fr_1.1fr_1fr_1fr_1.15fr] overflow-hidden *:border-line [&>*+*]:border-l',
  'max-lg:grid-cols-6 md:max-lg:*:col-span-2 md:max-lg:[&>:nth-child(4)]:border-l-0 md:max-lg:[&>:nth-child(n+4)]:col-span-3 md:max-lg:[&>:nth-child(n+4)]:border-t',
  'max-md:grid-cols-2 max-md:[&>:nth-child(5)]:col-span-2 max-md:[&>:nth-child(even)]:border-l max-md:[&>:nth-child(n+3)]:border-t max-md:[&>:nth-child(odd)]:border-l-0',
].join(' ')

export function KeyFigures({ dashboard, figures }: Props) {
  const { day, today, midnight } = figures
  const share = deliveredShare(today)
  return (
    <section aria-label={words.figures} className={`panel ${KEY_FIGURES_GRID}`}>
      <KeyFigure
        label={words.today}
        value={formatCount(today.total)}
        link={dashboardLinks.logs({ from: midnight })}
        picture={<Hours day={day} part="total" label={words.today} fill="fill-muted" />}
      >
        <AgainstYesterday now={today.total} then={figures.yesterday.total} />
      </KeyFigure>
      <KeyFigure
        label={words.delivered}
        value={share === undefined ? text.none : formatPercent(share)}
        link={dashboardLinks.logs({ state: 'delivered', from: midnight })}
        picture={<Hours day={day} part="delivered" label={words.delivered} fill="fill-ok-solid" />}
      >
        <ShareAgainstYesterday now={share} then={deliveredShare(figures.yesterday)} />
      </KeyFigure>
      <KeyFigure
        label={words.failed}
        value={formatCount(today.failed)}
        link={dashboardLinks.logs({ state: 'failed', from: midnight })}
        picture={<Hours day={day} part="failed" label={words.failed} fill="fill-bad-solid" />}
      >
        <SinceWhen dashboard={dashboard} figures={figures} />
      </KeyFigure>
      <KeyFigure
        label={words.waiting}
        value={formatCount(figures.waiting)}
        link={dashboardLinks.logs({ state: 'queued' })}
        picture={<Hours day={day} part="waiting" label={words.waiting} fill="fill-info-solid" />}
      >
        <Handover dashboard={dashboard} waiting={figures.waiting} />
      </KeyFigure>
      <Connected dashboard={dashboard} />
    </section>
  )
}

function KeyFigure({
  label,
  value,
  beside,
  link,
  picture,
  children,
}: {
  label: string
  value: string
  beside?: string
  link: LinkProps
  picture: ReactNode
  children: ReactNode
}) {
  return (
    <div className="relative flex min-w-0 flex-col px-4 py-3 hover:bg-sunken max-md:px-3 max-md:py-2.5">
      <h2 className="text-sm font-medium text-muted">{label}</h2>
      <p className="mt-0.5 flex items-baseline gap-2 text-2xl leading-tight font-bold tracking-tight whitespace-nowrap">
        <CoveringLink link={link}>
          {value}
          <span className="sr-only"> {label}</span>
        </CoveringLink>
        {beside && <span className="text-sm font-medium tracking-normal text-muted">{beside}</span>}
      </p>
      <p className="mt-1 mb-2 text-sm text-muted">{children}</p>
      <div className="mt-auto">{picture}</div>
    </div>
  )
}

function Hours({
  day,
  part,
  label,
  fill,
}: {
  day: Hour[]
  part: Exclude<keyof Hour, 'from'>
  label: string
  fill: string
}) {
  const values = day.map((hour) => hour[part])
  const said = words.perHour(label, formatCount(Math.min(...values)), formatCount(Math.max(...values)))
  return <HourBars values={values} fill={fill} label={said} />
}

function AgainstYesterday({ now, then }: { now: number; then: number }) {
  if (then === 0) return words.noneYesterday
  const change = Math.round((100 * (now - then)) / then)
  if (change === 0) return words.sameAsYesterday
  return (
    <>
      <b className="font-semibold text-ink">
        {change > 0 ? '▲' : '▼'} {formatPercent(Math.abs(change) / 100)}
      </b>{' '}
      <ThanYesterday />
    </>
  )
}

function ShareAgainstYesterday({ now, then }: { now: number | undefined; then: number | undefined }) {
  if (now === undefined) return words.nothingEnded
  if (then === undefined) return words.noneYesterday
  const points = Math.round(1000 * (now - then)) / 10
  if (points === 0) return words.sameAsYesterday
  return (
    <>
      <b className={`font-semibold ${points > 0 ? 'text-ok' : 'text-bad'}`}>
        {points > 0 ? '▲' : '▼'} {formatTenths(Math.abs(points))} {words.points}
      </b>{' '}
      <ThanYesterday />
    </>
  )
}

function ThanYesterday() {
  return (
    <>
      {words.thanYesterday} <span className="max-md:hidden">{words.atThisHour}</span>
    </>
  )
}

function SinceWhen({ dashboard: { failures }, figures: { surge } }: Props) {
  if (surge) {
    return <b className="font-semibold text-bad">▲ {words.surgeSince(hourTime(surge.since))}</b>
  }
  const last = failures
    .map(({ last_at }) => last_at)
    .sort()
    .at(-1)
  if (last === undefined) return words.noFailure
  return (
    <>
      {words.lastFailure} <Ago at={last} />
    </>
  )
}

function Handover({ dashboard, waiting }: { dashboard: Dashboard; waiting: number }) {
  const secs = dashboard.times.handover.p95_secs
  if (secs === null) return waiting === 0 ? words.noneWaits : text.none
  return (
    <>
      {words.toHandover} <b className="font-semibold text-ink">{formatDuration(secs)}</b>
    </>
  )
}

function Connected({ dashboard: { at, devices, connected } }: { dashboard: Dashboard }) {
  // The last sample may be minutes old, so the current value ends the line. Without samples it also begins it.
  const now = { at, connected: devices.connected, total: devices.total }
  const before =
    connected.length > 0 ? connected : [{ ...now, at: new Date(Date.parse(at) - 1).toISOString() }]
  const samples = [...before, now]
  const counts = samples.map((sample) => sample.connected)
  const label = words.connectedDay(formatCount(Math.min(...counts)), formatCount(Math.max(...counts)))
  return (
    <KeyFigure
      label={words.connected}
      value={formatCount(devices.connected)}
      beside={words.ofTotal(formatCount(devices.total))}
      link={dashboardLinks.devices({ show: 'connected' })}
      picture={<ConnectedChart samples={samples} label={label} />}
    >
      {devices.disconnected === 0 ? (
        words.allConnected
      ) : (
        <Link
          {...dashboardLinks.devices({ show: 'disconnected' })}
          className="relative inline-flex items-center font-semibold text-bad underline-offset-3 hover:underline max-md:min-h-11"
        >
          {words.away(formatCount(devices.disconnected), devices.disconnected)}
        </Link>
      )}
    </KeyFigure>
  )
}
