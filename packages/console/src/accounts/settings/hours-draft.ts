import type { SendingHours } from '@sdd/contract/accounts/sending-hours.ts'
import * as z from 'zod/mini'
import { HoursDraft, hoursDraftOf, hoursFaults, hoursOf } from '#console/accounts/hours/hours.ts'

/** The hours of one class as typed. `on` is false: at any time. */
const ClassDraft = z.extend(HoursDraft, { on: z.boolean() })
export type ClassDraft = z.infer<typeof ClassDraft>

export const SendingHoursDraft = z.object({ marketing: ClassDraft, transactional: ClassDraft })
export type SendingHoursDraft = z.infer<typeof SendingHoursDraft>

export const hourClasses = ['marketing', 'transactional'] as const
export type HourClass = (typeof hourClasses)[number]

export function sendingHoursDraftOf({ marketing, transactional }: SendingHours): SendingHoursDraft {
  return {
    marketing: { ...hoursDraftOf(marketing), on: true },
    // If it is switched on, it begins with the hours of marketing.
    transactional: { ...hoursDraftOf(transactional ?? marketing), on: transactional !== null },
  }
}

/** Call it only for a draft without faults. */
export function sendingHoursOf({ marketing, transactional }: SendingHoursDraft): SendingHours {
  return {
    marketing: hoursOf(marketing),
    transactional: transactional.on ? hoursOf(transactional) : null,
  }
}

/** The name of the hours of a class in the form. */
export function classField(of: HourClass): string {
  return `sending_hours.${of}`
}

/** The errors, by the name of the field. */
export function sendingHoursFaults(draft: SendingHoursDraft): Record<string, string | undefined> {
  const on = hourClasses.filter((of) => draft[of].on)
  return Object.assign({}, ...on.map((of) => hoursFaults(classField(of), draft[of])))
}
