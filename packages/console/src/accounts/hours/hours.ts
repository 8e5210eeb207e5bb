import { Hours, HoursWindow, WeekDay, weekDays } from '@sdd/contract/accounts/sending-hours.ts'
import * as z from 'zod/mini'
import { hours as words } from './text.ts'

const WindowDraft = z.object({ days: z.array(WeekDay), from: z.string(), to: z.string() })
export type WindowDraft = z.infer<typeof WindowDraft>

/** Hours as typed. */
export const HoursDraft = z.object({
  windows: z.array(WindowDraft),
  zone: z.string(),
  holidays: z.string(),
})
export type HoursDraft = z.infer<typeof HoursDraft>

/** The most windows of a week. */
export const MOST_WINDOWS = 20

export function hoursDraftOf({ windows, zone, holidays }: Hours): HoursDraft {
  return { windows, zone, holidays: holidays.join(', ') }
}

/** Call it only for a draft without faults. */
export function hoursOf({ windows, zone, holidays }: HoursDraft): Hours {
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

/** The name of a field of the form, of a window if `n` is given. `of` names the hours in their form. */
export function hoursField(of: string, part: string, n?: number): string {
  return [of, n, part].filter((one) => one !== undefined).join('.')
}

/** The errors, by the name of the field. */
export function hoursFaults(of: string, draft: HoursDraft): Record<string, string | undefined> {
  const { windows, zone, holidays } = hoursOf(draft)
  const faults: Record<string, string | undefined> = {}
  for (const [n, { days, from, to }] of windows.entries()) {
    faults[hoursField(of, 'days', n)] = days.length === 0 ? words.daysMissing : undefined
    faults[hoursField(of, 'from', n)] = isRight(HoursWindow.shape.from, from) ? undefined : words.fromWrong
    faults[hoursField(of, 'to', n)] = isRight(HoursWindow.shape.to, to) ? undefined : words.toWrong
  }
  faults[hoursField(of, 'zone')] = isRight(Hours.shape.zone, zone) ? undefined : words.zoneWrong
  faults[hoursField(of, 'holidays')] = isRight(Hours.shape.holidays, holidays)
    ? undefined
    : words.holidaysWrong
  return faults
}

function isRight(schema: z.ZodMiniType, value: unknown): boolean {
  return schema.safeParse(value).success
}

/** The zone of the browser. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** In a line: `L–V 22:00–06:00, S D 10:00–14:00 · Europe/Madrid`. The zone is left out if it is the browser's. */
export function hoursSummary({ windows, zone, holidays }: Hours): string {
  const times = windows.map(({ days, from, to }) => `${daysSummary(days)} ${from}–${to}`).join(', ')
  const rest = [
    zone === ownZone() ? '' : zone,
    holidays.length > 0 ? words.holidayCount(holidays.length) : '',
  ]
  return [times, ...rest.filter(Boolean)].join(' · ')
}

/** Three days in a row or more are `L–V`. */
function daysSummary(days: readonly WeekDay[]): string {
  const runs: WeekDay[][] = []
  for (const day of weekDays.filter((one) => days.includes(one))) {
    const run = runs.at(-1)
    if (run && weekDays.indexOf(day) === weekDays.indexOf(run.at(-1)!) + 1) run.push(day)
    else runs.push([day])
  }
  const letter = (day: WeekDay) => words.dayLetters[day]
  return runs
    .map((run) => (run.length > 2 ? `${letter(run[0]!)}–${letter(run.at(-1)!)}` : run.map(letter).join(' ')))
    .join(' ')
}
