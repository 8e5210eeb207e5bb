import type { Hours, WeekDay } from '@sdd/contract/accounts/sending-hours.ts'
import {
  hoursDraftOf,
  hoursFaults,
  hoursOf,
  ownZone,
  type HoursDraft,
} from '#console/accounts/hours/hours.ts'

const WORK: WeekDay[] = ['mon', 'tue', 'wed', 'thu', 'fri']

const usual = {
  always: undefined,
  office: { days: WORK, from: '08:00', to: '20:00' },
  everyDay: { days: [...WORK, 'sat', 'sun'] as WeekDay[], from: '08:00', to: '22:00' },
}

/** The hours that the console offers. All others are the user's own. */
export const dutyHours = ['always', 'office', 'everyDay'] as const
export type DutyHours = (typeof dutyHours)[number]

/** By the clock of the browser's zone; null: at any time. */
export function hoursOfDuty(name: DutyHours): Hours | null {
  const window = usual[name]
  if (!window) return null
  return { windows: [window], zone: ownZone(), holidays: [] }
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

/** The hours of a rule as chosen in its form. `own` counts only if it is chosen. */
export type DutyDraft = { readonly chosen: DutyHours | 'own'; readonly own: HoursDraft }

/** With `own`, the draft has the user's own hours. They begin as the present ones, or as the working hours. */
export function dutyDraftOf(hours: Hours | null, own: boolean): DutyDraft {
  const offered = dutyOf(hours)
  return { chosen: own || !offered ? 'own' : offered, own: hoursDraftOf(hours ?? hoursOfDuty('office')!) }
}

/** The name of the hours in the form of a rule. */
export const DUTY = 'hours'

export function dutyFaults({ chosen, own }: DutyDraft): Record<string, string | undefined> {
  return chosen === 'own' ? hoursFaults(DUTY, own) : {}
}

/** Call it only for a draft without faults. */
export function hoursOfDraft({ chosen, own }: DutyDraft): Hours | null {
  return chosen === 'own' ? hoursOf(own) : hoursOfDuty(chosen)
}
