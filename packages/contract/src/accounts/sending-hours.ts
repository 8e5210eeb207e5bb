import * as z from 'zod/mini'

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** The days of the week, in the order of ISO 8601. */
export const WeekDay = z.enum(days)
export type WeekDay = z.infer<typeof WeekDay>
export const weekDays: readonly WeekDay[] = days

const FROM = /^([01]\d|2[0-3]):[0-5]\d$/
const TO = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/

/** From `from` to just before `to`, by the clock on the wall. One that does not end after `from` ends on the next day. */
export const HoursWindow = z.strictObject({
  days: z.array(WeekDay).check(z.minLength(1), z.maxLength(7)),
  from: z.string().check(z.regex(FROM, 'must be a time such as 09:00')),
  to: z.string().check(z.regex(TO, 'must be a time such as 20:00, or 24:00')),
})
export type HoursWindow = z.infer<typeof HoursWindow>

/** A day of the calendar. */
const CalendarDay = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-12-25'),
  z.refine(
    (day) => new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true,
    'is no day of the calendar',
  ),
)

/** An IANA name, such as `Europe/Madrid`. */
const Zone = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/,
      'must be recipient, or the name of a zone such as Europe/Madrid',
    ),
    z.refine(isZone, 'is no time zone: write recipient, or a name such as Europe/Madrid'),
  )

function isZone(name: string): boolean {
  if (name === 'recipient') return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** When messages may be handed over. On a holiday no window begins. */
export const Hours = z.strictObject({
  windows: z.array(HoursWindow).check(z.minLength(1), z.maxLength(20)),
  /** `recipient`: the zones of the number's country. */
  zone: Zone,
  holidays: z._default(z.array(CalendarDay).check(z.maxLength(366)), () => []),
})
export type Hours = z.infer<typeof Hours>

/** The hours of each class of messages. Null: at any time. One-time codes go at any time. */
export const SendingHours = z.strictObject({ marketing: Hours, transactional: z.nullable(Hours) })
export type SendingHours = z.infer<typeof SendingHours>

/** The hours of a company that has set none. */
export const DEFAULT_HOURS: SendingHours = {
  marketing: {
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '09:00', to: '20:00' }],
    zone: 'recipient',
    holidays: [],
  },
  transactional: null,
}
