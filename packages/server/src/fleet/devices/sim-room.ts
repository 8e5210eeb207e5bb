/** More than any plan has. */
const NO_LIMIT = 9_999_999

/** Stands for a time that does not come. It sorts behind all times. */
export const NEVER = '~'

/** What a SIM's plan has used in the period of `:now`. Its counters start again once the period is over. */
const used = (counter: 'used_parts' | 'used_recipients') =>
  `case when used_until > :now then ${counter} else 0 end`

const IS_VALID = `(ends_at is null or ends_at > :now)`

/** The SMS parts that a SIM's plan still allows; 0 if it allows no new recipient. */
const PARTS = `case when renews_on_day is null then ${NO_LIMIT}
  when ${IS_VALID} and coalesce(recipients_per_month, ${NO_LIMIT}) > ${used('used_recipients')}
    then coalesce(parts_per_month, ${NO_LIMIT}) - ${used('used_parts')}
  else 0 end`

/** Selects `what` of a device's SIM with the number `asked`, or of all its SIMs. `otherwise`: its ICCID is not known. */
function ofSims(what: string, asked: string, otherwise: string): string {
  const all = `select ${what} from sims where sims.device_id = devices.id`
  return `coalesce((${all} and ${asked} in (sims.number, said_number)),
    case when ${asked} is null then (${all}) else ${otherwise} end)`
}

/** The device has a number that is not of a SIM with an ICCID, so no plan limits it. */
const HAS_OTHER_NUMBER = `exists (select 1 from device_sims where device_sims.device_id = devices.id
  and not exists (select 1 from sims where sims.device_id = devices.id
    and device_sims.number in (sims.number, said_number)))`

/**
 * The most SMS parts that a message to a new recipient may have on this device, by the plan of the SIM with the number
 * `asked`, or of any of its SIMs if that is null.
 */
export function planRoom(asked: string): string {
  return `case when names_sims = 0 then ${NO_LIMIT} else ${ofSims(`max(${PARTS})`, asked, String(NO_LIMIT))} end`
}

/**
 * When a SIM of a device may send again, and its ICCID, with a blank between them. A SIM that is no longer valid comes
 * last: ~, when it ended, its ICCID, and its last day.
 */
export const PLAN_RENEWAL = ofSims(
  `min(case when renews_on_day is null then null
  when ${IS_VALID} then used_until || ' ' || iccid
  else '${NEVER}' || ends_at || ' ' || iccid || ' ' || valid_until end)`,
  'devices.asked',
  'null',
)

/** When a device whose plans allow no parts at all may send again; null if one of its SIMs has some, or is not known. */
export const PLAN_UNTIL = `case when names_sims = 1 then (
  select case when max(case when renews_on_day is null
        or ${IS_VALID} and coalesce(parts_per_month, ${NO_LIMIT}) > ${used('used_parts')} then 1 else 0 end) = 0
      then case when ${HAS_OTHER_NUMBER} then null else min(case when ${IS_VALID} then used_until else '${NEVER}' end) end end
  from sims where sims.device_id = devices.id) end`
