import type { CompanyRules } from '#server/accounts/settings/numbers.ts'
import { sendingHoursOf } from '#server/accounts/settings/sending-hours.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { hoursAt } from './hours.ts'
import { zonesOfNumber } from './zones.ts'

/** Until when, in ms, this message is outside its hours; `undefined` if it may go. */
export function closedUntil(
  { sending_hours, default_country }: CompanyRules,
  message: { message_to: string; priority: number },
  now_ms: number,
): number | undefined {
  const kind = classOf(message)
  if (kind === 'code') return undefined
  const hours = sendingHoursOf(sending_hours)[kind]
  if (hours === null) return undefined
  const zones = hours.zone === 'recipient' ? zonesOfNumber(message.message_to, default_country) : [hours.zone]
  const { open, until_ms } = hoursAt(hours, zones, now_ms)
  return open ? undefined : until_ms
}
