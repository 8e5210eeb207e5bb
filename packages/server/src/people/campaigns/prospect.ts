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
  const seen = known.map((device) => ({ device, away: awayOf(device, { now, day }) }))
  const returned = seen
    .filter(({ away }) => away !== null && away !== 'daily_limit')
    .map(({ device }) => roomOf(device, day))
  const all = { ...fleet, devices: [...fleet.devices, ...returned] }
  return {
    planned_at,
    devices: seen.map(({ device: { uid, status_at }, away }) => ({
      uid,
      away,
      since: away === 'offline' ? status_at : null,
      per_hour: away === null ? per_hour : null,
    })),
    devices_total: able + fleet.away,
    finishes_with_all_at:
      returned.length === 0
        ? null
        : estimate(work, all, numbers.rules(campaign.company_id), clock).finishes_at,
  }
}

function awayOf(device: FleetDevice, { now, day }: { now: string; day: string }): CampaignDevice['away'] {
  if (device.status !== 'connected') return 'offline'
  if (inMaintenance(device, now)) return 'maintenance'
  if (device.quarantined_until !== null) return 'quarantined'
  return sentOn(device, day) >= device.max_sms_dayly ? 'daily_limit' : null
}
