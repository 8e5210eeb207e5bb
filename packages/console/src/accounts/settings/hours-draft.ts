import { Hours, HoursWindow, WeekDay, type SendingHours } from '@sdd/contract/accounts/sending-hours.ts'
import * as z from 'zod/mini'
import { hours as words } from './hours-text.ts'

const WindowDraft = z.object({ days: z.array(WeekDay), from: z.string(), to: z.string() })
export type WindowDraft = z.infer<typeof WindowDraft>

/** The hours of one class as typed. */
const ClassDraft = z.object({
  /** Off: at any time. */
  on: z.boolean(),
  windows: z.array(WindowDraft),
  zone: z.string(),
  holidays: z.string(),
})
export type ClassDraft = z.infer<typeof ClassDraft>

export const HoursDraft = z.object({ marketing: ClassDraft, transactional: ClassDraft })
export type HoursDraft = z.infer<typeof HoursDraft>

export const hourClasses = ['marketing', 'transactional'] as const
export type HourClass = (typeof hourClasses)[number]

/** The most windows of a class. */
export const MOST_WINDOWS = 20

export function hoursDraftOf({ marketing, transactional }: SendingHours): HoursDraft {
  return {
    marketing: classDraftOf(marketing),
    // If it is switched on, it begins with the hours of marketing.
    transactional: { ...classDraftOf(transactional ?? marketing), on: transactional !== null },
  }
}

function classDraftOf({ windows, zone, holidays }: Hours): ClassDraft {
  return { on: true, windows, zone, holidays: holidays.join(', ') }
}

/** Call it only for a draft without faults. */
export function hoursOf({ marketing, transactional }: HoursDraft): SendingHours {
  return {
    marketing: classHours(marketing),
    transactional: transactional.on ? classHours(transactional) : null,
  }
}

function classHours({ windows, zone, holidays }: ClassDraft): Hours {
  return {
    windows: windows.map(({ days, from, to }) => ({ days, from: fullTime(from), to: fullTime(to) })),
    zone: zone.trim(),
    holidays: daysIn(holidays),
  }
}

/** `9:00` and `9` are `09:00`. */
function fullTime(typed: string): string {
  const [, hour, minute = '00'] = /^(\d{1,2})(?:[:.h](\d{2}))?$/.exec(typed.trim()) ?? []
  return hour === undefined ? typed.trim() : `${hour.padStart(2, '0')}:${minute}`
}

function daysIn(typed: string): string[] {
  return [...new Set(typed.split(/[,;\s]+/).filter(Boolean))].toSorted()
}

/** The name of a field of the form, of a window if `n` is given. */
export function hoursField(of: HourClass, part: string, n?: number): string {
  return ['sending_hours', of, n, part].filter((one) => one !== undefined).join('.')
}

/** The errors, by the name of the field. */
export function hoursFaults(draft: HoursDraft): Record<string, string | undefined> {
  const faults: Record<string, string | undefined> = {}
  for (const of of hourClasses) {
    const typed = draft[of]
    if (!typed.on) continue
    const { windows, zone, holidays } = classHours(typed)
    for (const [n, { days, from, to }] of windows.entries()) {
      faults[hoursField(of, 'days', n)] = days.length === 0 ? words.daysMissing : undefined
      faults[hoursField(of, 'from', n)] = isRight(HoursWindow.shape.from, from) ? undefined : words.fromWrong
      faults[hoursField(of, 'to', n)] = isRight(HoursWindow.shape.to, to) ? undefined : words.toWrong
    }
    faults[hoursField(of, 'zone')] = isRight(Hours.shape.zone, zone) ? undefined : words.zoneWrong
    faults[hoursField(of, 'holidays')] = isRight(Hours.shape.holidays, holidays)
      ? undefined
      : words.holidaysWrong
  }
  return faults
}

function isRight(schema: z.ZodMiniType, value: unknown): boolean {
  return schema.safeParse(value).success
}
