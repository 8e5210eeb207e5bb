import type { CampaignDetail, CampaignDevice } from '@sdd/contract/people/campaigns.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useRole } from '#console/core/use-role.ts'
import { campaignPage as words } from './page-text.ts'
import { lastHanded, progressOf } from './progress.ts'
import { about, hourBeside, spanText } from './when.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Box } from '#console/ui/box.tsx'
import { buttonLook } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** The reasons for the estimated end: the devices, the remaining messages, and the brake. */
export function EndReasons({ campaign }: { campaign: CampaignDetail }) {
  const now = useNow()
  const manages = holds(useRole(), 'devices:manage')
  const { finishes_at, finishes_with_all_at, limited_by, devices, devices_total } = campaign
  const away = devices.filter((device) => device.away !== null && device.away !== 'daily_limit')
  const sorted = [...devices.filter((device) => !away.includes(device)), ...away]
  if (finishes_at === null && lastHanded(campaign))
    return (
      <Box title={words.whyUnknown}>
        <p className="text-sm">{words.lastHandedMeans}</p>
      </Box>
    )
  const back = finishes_with_all_at !== null && finishes_with_all_at !== finishes_at
  return (
    <Box title={finishes_at === null ? words.whyUnknown : words.whyEnds(about(finishes_at, now))}>
      <ul className="flex flex-col gap-1.5">
        {sorted.map((device) => (
          <DeviceLine key={device.uid} device={device} now={now} />
        ))}
      </ul>
      {devices_total > devices.length && (
        <p className="mt-1.5 text-sm text-muted">
          {words.moreDevices(formatCount(devices_total - devices.length))}
        </p>
      )}
      {devices_total === 0 && <p className="text-sm text-bad">{words.noDevices}</p>}
      <p className="mt-2.5 text-sm">
        {remainingText(campaign, now)} {limited_by && words.brakes[limited_by]}
      </p>
      {back && (
        <p className="mt-1 text-sm text-muted">
          {away.length === 1 && away[0]
            ? words.ifOneBack(away[0].uid, about(finishes_with_all_at, now))
            : words.ifAllBack(about(finishes_with_all_at, now))}
        </p>
      )}
      {manages && (
        <Link
          to="/devices"
          search={{ link: 'new' }}
          className={`mt-3 self-start ${buttonLook({ size: 'sm' })}`}
        >
          <Plus className="size-4" aria-hidden="true" />
          {words.addDevices}
        </Link>
      )}
    </Box>
  )
}

function DeviceLine({ device, now }: { device: CampaignDevice; now: number }) {
  const { uid, away, since, per_hour } = device
  const said =
    away === null
      ? words.perHourEach(formatCount(per_hour ?? 0))
      : away === 'offline'
        ? words.away.offline(since === null ? '' : hourBeside(since, now, now))
        : words.away[away]
  const bad = away === 'offline'
  return (
    <li className="flex items-center gap-2 text-sm">
      <span className={away === null ? 'text-ok' : bad ? 'text-bad' : 'text-warn'}>
        <MarkIcon mark={away === null ? 'dot' : bad ? 'square' : 'triangle'} />
      </span>
      <Link
        to="/devices/$uid"
        params={{ uid }}
        className="mono min-w-0 truncate font-semibold hover:underline max-md:py-3"
      >
        {uid}
      </Link>
      <span
        className={`ml-auto text-right tabular-nums ${bad ? 'text-bad' : away === null ? '' : 'text-warn'}`}
      >
        {said}
      </span>
    </li>
  )
}

/** The remaining messages, and their rate if all devices are known. */
function remainingText(campaign: CampaignDetail, now: number): string {
  const { devices, devices_total, finishes_at, limited_by } = campaign
  const { left } = progressOf(campaign)
  const rate = devices.reduce((sum, { per_hour }) => sum + (per_hour ?? 0), 0)
  if (
    finishes_at === null ||
    limited_by !== 'pacing' ||
    rate === 0 ||
    left < 2 ||
    devices_total > devices.length
  )
    return left === 0 ? '' : words.remaining(left, formatCount(left))
  return words.remainingAt(formatCount(left), formatCount(rate), spanText(Date.parse(finishes_at) - now))
}
