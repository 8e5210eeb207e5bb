import type { Hours } from '@sdd/contract/accounts/sending-hours.ts'
import type { CompanyRules } from '#server/accounts/settings/numbers.ts'
import { sendingHoursOf } from '#server/accounts/settings/sending-hours.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { hoursAt } from './hours.ts'
import { zonesOfNumber } from './zones.ts'

type Addressed = { message_to: string; priority: number }

/** The hours of this message, and the time zones in which they must be open; `undefined` if it may always go. */
export function hoursOfMessage(
  { sending_hours, default_country }: CompanyRules,
  message: Addressed,
): { hours: Hours; zones: readonly string[] } | undefined {
  const kind = classOf(message)
  if (kind === 'code') return undefined
  const hours = sendingHoursOf(sending_hours)[kind]
  if (hours === null) return undefined
  const zones = hours.zone === 'recipient' ? zonesOfNumber(message.message_to, default_country) : [hours.zone]
  return { hours, zones }
}

/** Until when, in ms, this message is outside its hours; `undefined` if it may go. */
export function closedUntil(rules: CompanyRules, message: Addressed, now_ms: number): number | undefined {
  const its = hoursOfMessage(rules, message)
  if (its === undefined) return undefined
  const { open, until_ms } = hoursAt(its.hours, its.zones, now_ms)
  return open ? undefined : until_ms
}
