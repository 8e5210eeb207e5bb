import type { Dashboard, Percentiles } from '@sdd/contract/insight/dashboard.ts'
import { Link } from '@tanstack/react-router'
import { text } from '#console/core/text.ts'
import { dashboard as words } from './text.ts'
import { ShareBar, CoveringLink, FIGURES_TABLE, NoneText } from './box.tsx'
import type { Figures } from './figures.ts'
import { deviceFailedShare, dashboardLinks } from './links.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { waiting as waitingWords } from '#console/messages/waiting/text.ts'
import { Box } from '#console/ui/box.tsx'
import { Ago } from '#console/ui/ago.tsx'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'
import { formatDuration } from '#console/ui/time.ts'

/** A name and an amount, with a bar below both. */
const BAR_LINE =
  'relative grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-2.5 gap-y-[3px] wrap-anywhere max-md:py-1.5'

type Props = { dashboard: Dashboard; figures: Figures }

export function WaitingReasons({ dashboard: { waiting } }: { dashboard: Dashboard }) {
  const most = Math.max(1, ...waiting.map(({ count }) => count))
  return (
    <Box title={words.waits}>
      {waiting.length === 0 && <NoneText>{words.noneWaits}</NoneText>}
      <ul className="grid gap-2.5 text-sm">
        {waiting.map(({ reason, count, devices }) => (
          <li key={reason} className={BAR_LINE}>
            <CoveringLink link={dashboardLinks.reason(reason).link}>
              {waitingWords.reasons[reason]}
            </CoveringLink>
            <b className="font-semibold tabular-nums">{formatCount(count)}</b>
            <ShareBar share={count / most} fill="fill-info-solid" />
            {devices > 0 && (
              <small className="col-span-full text-xs text-muted">
                {words.devicesOf(formatCount(devices), devices)}
              </small>
            )}
          </li>
        ))}
      </ul>
    </Box>
  )
}

export function FailureCauses({ dashboard: { failures }, figures: { midnight } }: Props) {
  const most = Math.max(1, ...failures.map(({ count }) => count))
  return (
    <Box
      title={words.causes}
      beside={
        failures.length > 0 && (
          <Link
            {...dashboardLinks.logs({ state: 'failed', view: 'errors', from: midnight })}
            className="font-medium text-link underline max-md:inline-flex max-md:min-h-11 max-md:items-center"
          >
            {words.toLogs}
          </Link>
        )
      }
    >
      {failures.length === 0 && <NoneText>{words.noCauses}</NoneText>}
      {failures.length > 0 && <p className="-mt-1.5 mb-2 text-xs text-muted">{words.endedToday}</p>}
      <ul className="grid gap-2.5 text-sm">
        {failures.map(({ code, count, last_at }) => (
          <li key={code} className={BAR_LINE}>
            <CoveringLink
              link={dashboardLinks.logs({ state: 'failed', error: code, view: 'errors', from: midnight })}
            >
              {outcomes.cause(code)}
            </CoveringLink>
            <b className="font-semibold tabular-nums">{formatCount(count)}</b>
            <ShareBar share={count / most} fill="fill-bad-solid" />
            <small className="col-span-full text-xs text-muted">
              <Ago at={last_at} />
            </small>
          </li>
        ))}
      </ul>
    </Box>
  )
}

export function TimesBox({ dashboard: { at, times } }: { dashboard: Dashboard }) {
  const from = Date.parse(at) - 24 * 3_600_000
  return (
    <Box title={words.times} beside={words.last.day}>
      <table className={`w-full ${FIGURES_TABLE}`}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{words.from}</span>
            </th>
            <th scope="col">{words.p50}</th>
            <th scope="col">{words.p95}</th>
          </tr>
        </thead>
        <tbody>
          {(['handover', 'delivery'] as const).map((name) => (
            <TimesRow key={name} label={words[name]} times={times[name]} from={from} />
          ))}
        </tbody>
      </table>
    </Box>
  )
}

function TimesRow({ label, times, from }: { label: string; times: Percentiles; from: number }) {
  return (
    <tr className="relative">
      <th scope="row">
        <CoveringLink link={dashboardLinks.logs({ view: 'times', from })}>{label}</CoveringLink>
      </th>
      {[times.p50_secs, times.p95_secs].map((secs, n) => (
        <td key={n} className="text-lg! font-semibold">
          {secs === null ? (
            <span className="text-sm font-normal text-muted">{words.notMeasured}</span>
          ) : (
            formatDuration(secs)
          )}
        </td>
      ))}
    </tr>
  )
}

export function ByDevice({ dashboard: { by_device }, figures: { midnight } }: Props) {
  return (
    <Box title={words.byDevice} beside={words.todayOnly}>
      {by_device.length === 0 ? (
        <NoneText>{words.noneSent}</NoneText>
      ) : (
        <div className="overflow-x-auto">
          <p className="-mt-1.5 mb-1 text-xs text-muted">{words.endedToday}</p>
          <table className={`w-full ${FIGURES_TABLE}`}>
            <thead>
              <tr>
                <th scope="col">{words.device}</th>
                <th scope="col">{words.bands.sent}</th>
                <th scope="col">{words.bands.delivered}</th>
                <th scope="col">{words.bands.failed}</th>
                <th scope="col" className="max-md:hidden">
                  {words.failedOf}
                </th>
              </tr>
            </thead>
            <tbody>
              {by_device.map((device) => (
                <DeviceRow key={device.device_uid} device={device} from={midnight} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Box>
  )
}

function DeviceRow({ device, from }: { device: Dashboard['by_device'][number]; from: number }) {
  const { device_uid, sent, delivered, failed } = device
  return (
    <tr>
      <th scope="row">
        <Link
          {...dashboardLinks.logs({ device_uid, from })}
          className="mono inline-flex items-center underline-offset-3 hover:underline max-md:min-h-11"
        >
          {device_uid}
        </Link>
      </th>
      <td>{formatCount(sent)}</td>
      <td>{sent === 0 ? text.none : formatPercent(Math.min(1, delivered / sent))}</td>
      <td className={failed > 0 ? 'text-bad' : ''}>
        {failed === 0 ? (
          '0'
        ) : (
          <Link
            {...dashboardLinks.logs({ device_uid, state: 'failed', from })}
            className="inline-flex items-center justify-end font-semibold underline-offset-3 hover:underline max-md:min-h-11 max-md:min-w-11"
          >
            {formatCount(failed)}
            <span className="sr-only">
              {' '}
              {words.bands.failed} {device_uid}
            </span>
          </Link>
        )}
      </td>
      <td className="w-1/4 max-md:hidden">
        <ShareBar share={deviceFailedShare(device)} fill={failed > 0 ? 'fill-bad-solid' : 'fill-off-bg'} />
      </td>
    </tr>
  )
}

export function DailyLimits({ dashboard: { limits } }: { dashboard: Dashboard }) {
  return (
    <Box title={words.limits} beside={words.todayOnly}>
      {limits.length === 0 && <NoneText>{words.noLimits}</NoneText>}
      <ul className="grid gap-2.5 text-sm">
        {limits.map(({ device_uid, sent_today, max_sms_dayly }) => (
          <li key={device_uid} className={BAR_LINE}>
            <CoveringLink link={dashboardLinks.devices({ search: device_uid, open: device_uid })}>
              <span className="mono">{device_uid}</span>
            </CoveringLink>
            <b className="font-semibold tabular-nums">
              {formatPercent(max_sms_dayly === 0 ? 1 : sent_today / max_sms_dayly)}
            </b>
            <ShareBar
              share={sent_today / Math.max(1, max_sms_dayly)}
              fill={sent_today >= max_sms_dayly ? 'fill-bad-solid' : 'fill-accent'}
            />
            <small className="col-span-full text-xs text-muted">
              {words.used(formatCount(sent_today), formatCount(max_sms_dayly))}
            </small>
          </li>
        ))}
      </ul>
    </Box>
  )
}
