import { changePassword } from '@sdd/contract/accounts/auth.ts'
import {
  confirmSecondFactor,
  disableSecondFactor,
  enrolSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  type Enrolment,
} from '@sdd/contract/accounts/second-factor.ts'
import { endOtherSessions, endSession, listSessions } from '@sdd/contract/accounts/sessions.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, fieldsOf, whyOf } from '#console/core/api.ts'
import type { Faults } from '#console/core/form.ts'
import { account as words } from './text.ts'

export const secondFactorQuery = queryOptions({
  queryKey: ['account', 'second factor'],
  queryFn: ({ signal }) => call(readSecondFactor, { signal }),
})

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await call(listSessions, { query: {}, signal })).sessions,
})

/** A password and a second-factor code, which together prove who the user is. */
export type Proof = { password: string; code: string }

export function enrol(password: string): Promise<Enrolment> {
  return call(enrolSecondFactor, { body: { password } })
}

/** Turns the second factor on and returns the recovery codes. */
export async function confirmEnrolment(code: string): Promise<string[]> {
  return (await call(confirmSecondFactor, { body: { code } })).recovery_codes
}

export async function renewCodes(proof: Proof): Promise<string[]> {
  return (await call(renewRecoveryCodes, { body: proof })).recovery_codes
}

export async function turnOff(proof: Proof): Promise<void> {
  await call(disableSecondFactor, { body: proof })
}

export async function endOneSession(id: number): Promise<void> {
  await call(endSession, { params: { id: String(id) } })
}

export async function endOthers(): Promise<void> {
  await call(endOtherSessions, { query: {} })
}

export async function changeOwnPassword(password: string, new_password: string): Promise<void> {
  await call(changePassword, { body: { password, new_password } })
}

/** What a form shows after a refusal: errors at the invalid fields, or one message above all fields. */
export function refusedBy(fault: unknown, otherwise: string): Faults {
  const { password, code, new_password } = fieldsOf(fault)
  const fields = {
    ...(password !== undefined && { password: words.wrongPassword }),
    ...(code !== undefined && { code: words.wrongCode }),
    ...(new_password !== undefined && { new_password: words.guessable }),
  }
  return Object.keys(fields).length > 0 ? { fields } : { said: whyOf(fault, otherwise), fields }
}
