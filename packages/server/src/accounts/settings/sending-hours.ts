import { DEFAULT_HOURS, type SendingHours } from '@sdd/contract/accounts/sending-hours.ts'

const parsed = new Map<string, SendingHours>()
/** Each change of a company makes a new text. */
const MOST_TEXTS = 1_000

/** The hours of a company, as its settings store them. The same text gives the same object. Null is the default. */
export function sendingHoursOf(text: string | null): SendingHours {
  if (text === null) return DEFAULT_HOURS
  if (parsed.size >= MOST_TEXTS && !parsed.has(text)) parsed.clear()
  return parsed.getOrInsertComputed(text, () => JSON.parse(text) as SendingHours)
}
