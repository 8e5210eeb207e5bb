import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import { limit, sql, when } from '@sdd/storage/sql.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { type Clock, nowOf } from '#server/core/clock.ts'
import type { Campaigns } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { sentOn } from '#server/fleet/devices/capacity.ts'
import { NO_MAINTENANCE } from '#server/fleet/devices/maintenance.ts'
import type { Fleet } from './estimate.ts'

/** What a campaign can send today, by the settings of its company and the connected devices that it may use. */
export async function fleetOf(tx: Tx, clock: Clock, { company_id, via }: Way): Promise<Fleet> {
  const { now, day } = nowOf(clock)
  const settings = await settingsOf(tx, 'all', company_id)
  const asked = { company_id, via: via ?? undefined }
  const devices = await tx.rows(DEVICES, { ...asked, now })
  const enabled = (await tx.first(ENABLED, asked))!.count
  return {
    sending: settings.send_enabled === 1,
    spoof_time_secs: settings.spoof_time_secs,
    devices: devices.map((device) => roomOf(device, day)),
    away: enabled - devices.length,
  }
}

type DailyUse = Pick<FleetDevice, 'max_sms_dayly' | 'sent_day' | 'sent_parts'>

/** The segments that a device may send on this day, and on any other day. */
export function roomOf(device: DailyUse, day: string): Fleet['devices'][number] {
  const { max_sms_dayly: daily } = device
  return { daily, today: Math.max(0, daily - sentOn(device, day)) }
}

export type FleetDevice = {
  uid: string
  status: DeviceStatus
  status_at: string
  quarantined_until: string | null
  maintenance_until: string | null
  max_sms_dayly: number
  sent_day: string | null
  sent_parts: number
}

type Way = Pick<Campaigns, 'company_id' | 'via'>

/** The enabled devices that it may use, at most so many: those away first, the last that went before the others. */
export function devicesIn(
  tx: Tx,
  { company_id, via }: Way,
  now: string,
  most: number,
): Promise<FleetDevice[]> {
  return tx.rows(ENABLED_DEVICES, { company_id, via: via ?? undefined, now, limit: most })
}

const TAGGED = when('via')`and exists (
  select 1 from device_tags where device_tags.device_id = devices.id and tag = :via)`

const READY = `status = 'connected' and quarantined_until is null
  and ${NO_MAINTENANCE}`

const ENABLED_DEVICES = sql<
  FleetDevice,
  { company_id: number; via: string | undefined; now: string; limit: number }
>`
  select uid, status, status_at, quarantined_until, maintenance_until, max_sms_dayly, sent_day, sent_parts
  from devices join capacity on capacity.device_id = devices.id
  where company_id = :company_id and unlinked_at is null and enabled = 1 ${TAGGED}
  order by case when ${READY} then 1 else 0 end, status_at desc, uid
  ${limit()}`

const DEVICES = sql<DailyUse, { company_id: number; now: string; via: string | undefined }>`
  select max_sms_dayly, sent_day, sent_parts from devices join capacity on capacity.device_id = devices.id
  where company_id = :company_id and unlinked_at is null and enabled = 1 and ${READY} ${TAGGED}`

const ENABLED = sql<{ count: number }, { company_id: number; via: string | undefined }>`
  select count(*) as count from devices
  where company_id = :company_id and unlinked_at is null and enabled = 1 ${TAGGED}`
