import type { Hours, WeekDay } from '@sdd/contract/accounts/sending-hours.ts'

const WORK: WeekDay[] = ['mon', 'tue', 'wed', 'thu', 'fri']

const usual = {
  always: undefined,
  office: { days: WORK, from: '08:00', to: '20:00' },
  everyDay: { days: [...WORK, 'sat', 'sun'] as WeekDay[], from: '08:00', to: '22:00' },
}

/** The hours that the console offers. */
export const dutyHours = ['always', 'office', 'everyDay'] as const
export type DutyHours = (typeof dutyHours)[number]

/** By the clock of the browser's zone; null: at any time. */
export function hoursOfDuty(name: DutyHours): Hours | null {
  const window = usual[name]
  if (!window) return null
  return { windows: [window], zone: Intl.DateTimeFormat().resolvedOptions().timeZone, holidays: [] }
}

/** Which of the offered hours these are; undefined for others. */
export function dutyOf(hours: Hours | null): DutyHours | undefined {
  return dutyHours.find((name) => JSON.stringify(sorted(hoursOfDuty(name))) === JSON.stringify(sorted(hours)))
}

function sorted(hours: Hours | null) {
  return (
    hours && [
      hours.zone,
      hours.holidays,
      hours.windows.map(({ days, from, to }) => [days.toSorted().join(), from, to]),
    ]
  )
}
