import type { CampaignDetail, CampaignDevice } from '@sdd/contract/people/campaigns.ts'
import { HOUR_MS, instant, nowOf } from '#server/core/clock.ts'
import { sentOn } from '#server/fleet/devices/capacity.ts'
import { inMaintenance } from '#server/fleet/devices/maintenance.ts'
import { estimate, pace } from './estimate.ts'
import { PLANNED } from './figures.ts'
import { devicesIn, type FleetDevice, roomOf } from './fleet.store.ts'
import type { CampaignRecord } from './store.ts'
import type { Figures, Forecast, ViewNeeds } from './viewing.ts'

type Prospect = Pick<CampaignDetail, 'planned_at' | 'devices' | 'devices_total' | 'finishes_with_all_at'>

const MOST_DEVICES = 20

/** The devices by which a campaign goes on, and how its end has moved and could move. */
export async function prospectOf(
  { db: { read }, clock, numbers }: ViewNeeds,
  campaign: CampaignRecord,
  figures: Figures,
  forecast: Forecast | undefined,
): Promise<Prospect> {
  const planned_s = figures.get(PLANNED)
  const planned_at = planned_s === undefined ? null : instant(planned_s * 1_000)
  if (forecast === undefined) return { planned_at, devices: [], devices_total: 0, finishes_with_all_at: null }
  const { work, fleet } = forecast
  const { now, day } = nowOf(clock)
  const known = await devicesIn(read, campaign, now, MOST_DEVICES)
  const each = work.messages === 0 ? 1 : work.parts / work.messages
  const able = fleet.devices.length
  const per_hour = able === 0 ? 0 : Math.round((HOUR_MS * pace(fleet, each)) / able)
  const away = known.filter((device) => isAway(device, now))
  const returned = away.map((device) => roomOf(device, day))
  const all = { ...fleet, devices: [...fleet.devices, ...returned] }
  return {
    planned_at,
    devices: known.map((device) => asDevice(device, { now, day, per_hour })),
    devices_total: able + fleet.away,
    finishes_with_all_at:
      away.length === 0 ? null : estimate(work, all, numbers.rules(campaign.company_id), clock).finishes_at,
  }
}

function asDevice(
  device: FleetDevice,
  { now, day, per_hour }: { now: string; day: string; per_hour: number },
): CampaignDevice {
  const { uid, status, status_at, quarantined_until, max_sms_dayly } = device
  const away =
    status !== 'connected'
      ? 'offline'
      : inMaintenance(device, now)
        ? 'maintenance'
        : quarantined_until !== null
          ? 'quarantined'
          : sentOn(device, day) >= max_sms_dayly
            ? 'daily_limit'
            : null
  return {
    uid,
    away,
    since: away === 'offline' ? status_at : null,
    per_hour: away === null ? per_hour : null,
  }
}

function isAway(device: FleetDevice, now: string): boolean {
  return device.status !== 'connected' || device.quarantined_until !== null || inMaintenance(device, now)
}
