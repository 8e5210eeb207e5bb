import { AWAY_AFTER_HOURS, type Dashboard } from '@sdd/contract/insight/dashboard.ts'
import type { LinkProps } from '@tanstack/react-router'
import { dashboard as words } from './text.ts'
import type { Figures } from './figures.ts'
import { deviceFailedShare, dashboardLinks } from './links.ts'
import { waiting as waitingWords } from '#console/messages/waiting/text.ts'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'
import { hourTime, shortTime } from '#console/ui/time.ts'

export type Concern = {
  tone: 'bad' | 'warn'
  title: string
  detail: string
  link: LinkProps
  button: string
}

/** A device needs attention from this many failures today and this share of failed messages on. */
const LEAST_FAILED = 5
const LEAST_SHARE = 0.2
/** The share of the fleet that must be lost within an hour to be reported. */
const LEAST_DROP = 0.1
const SAMPLES_AN_HOUR = 12

/** Problems that somebody must solve, the worst first. */
export function concernsOf(dashboard: Dashboard, figures: Figures): Concern[] {
  return [
    ...waitingConcerns(dashboard),
    ...surgeConcern(figures),
    ...dropConcern(dashboard),
    ...awayConcern(dashboard),
    ...deviceConcerns(dashboard, figures),
  ].sort((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'))
}

function waitingConcerns({ waiting }: Dashboard): Concern[] {
  const toned = {
    sending_off: 'bad',
    no_device: 'bad',
    device_offline: 'bad',
    maintenance: 'warn',
    quarantined: 'warn',
    device_disabled: 'warn',
    daily_limit: 'warn',
    plan_used: 'warn',
  } as const
  return waiting.flatMap(({ reason, count, devices }) => {
    if (!(reason in toned)) return []
    const tone = toned[reason as keyof typeof toned]
    const detail = words.waitingOn(formatCount(count), count, formatCount(devices), devices)
    return [{ tone, title: waitingWords.reasons[reason], detail, ...dashboardLinks.reason(reason) }]
  })
}

function surgeConcern({ surge, day }: Figures): Concern[] {
  if (!surge) return []
  const failed = day.filter(({ from }) => from >= surge.since).reduce((sum, hour) => sum + hour.failed, 0)
  return [
    {
      tone: 'bad',
      title: words.surge(hourTime(surge.since)),
      detail: words.surgeDetail(formatCount(failed), formatPercent(surge.share), formatPercent(surge.usual)),
      link: dashboardLinks.logs({ state: 'failed', from: surge.since }),
      button: words.toLogs,
    },
  ]
}

function dropConcern({ devices, connected }: Dashboard): Concern[] {
  const most = Math.max(0, ...connected.slice(-SAMPLES_AN_HOUR).map((sample) => sample.connected))
  const gone = most - devices.connected
  if (gone < 1 || gone / most < LEAST_DROP) return []
  const detail = words.dropDetail(formatCount(most), formatCount(devices.connected))
  return [
    {
      tone: 'bad',
      title: words.drop(gone),
      detail,
      link: dashboardLinks.devices({ show: 'disconnected' }),
      button: words.see,
    },
  ]
}

/** The devices that are named; the others are counted. */
const NAMED = 3

function awayConcern({ away }: Dashboard): Concern[] {
  if (away.count === 0) return []
  const named = away.devices
    .slice(0, NAMED)
    .map(({ device_uid, since }) => words.awaySince(device_uid, shortTime(since).slice(0, -3)))
    .join(', ')
  const others = away.count - Math.min(NAMED, away.devices.length)
  return [
    {
      tone: 'bad',
      title: words.awayLong(formatCount(away.count), away.count, AWAY_AFTER_HOURS),
      detail: others > 0 ? words.andOthers(named, formatCount(others)) : named,
      link: dashboardLinks.devices({ show: 'disconnected' }),
      button: words.toDevices,
    },
  ]
}

function deviceConcerns({ by_device }: Dashboard, { midnight }: Figures): Concern[] {
  return by_device
    .filter((device) => device.failed >= LEAST_FAILED && deviceFailedShare(device) >= LEAST_SHARE)
    .map((device) => ({
      tone: 'warn',
      title: device.device_uid,
      detail: words.failsMuch(formatPercent(deviceFailedShare(device)), formatCount(device.failed)),
      link: dashboardLinks.logs({ state: 'failed', device_uid: device.device_uid, from: midnight }),
      button: words.toLogs,
    }))
}
