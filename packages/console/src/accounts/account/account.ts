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
import { route } from '@sdd/contract/core/route.ts'
import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { callApi, fieldErrors, faultText } from '#console/core/api.ts'
import type { Faults } from '#console/core/form.ts'
import { keepLanguage } from '#console/core/language-choice.ts'
import type { Language } from '#console/core/language.ts'
import { account as words } from './text.ts'

export const secondFactorQuery = queryOptions({
  queryKey: ['account', 'second factor'],
  queryFn: ({ signal }) => callApi(readSecondFactor, { signal }),
})

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await callApi(listSessions, { query: {}, signal })).sessions,
})

/** A password and a second-factor code, which together prove who the user is. */
export type Proof = { password: string; code: string }

export function startEnrolment(password: string): Promise<Enrolment> {
  return callApi(enrolSecondFactor, { body: { password } })
}

export async function confirmEnrolment(code: string): Promise<string[]> {
  return (await callApi(confirmSecondFactor, { body: { code } })).recovery_codes
}

export async function renewCodes(proof: Proof): Promise<string[]> {
  return (await callApi(renewRecoveryCodes, { body: proof })).recovery_codes
}

export async function turnOffSecondFactor(proof: Proof): Promise<void> {
  await callApi(disableSecondFactor, { body: proof })
}

export async function endOneSession(id: number): Promise<void> {
  await callApi(endSession, { params: { id: String(id) } })
}

export async function endOthers(): Promise<void> {
  await callApi(endOtherSessions, { query: {} })
}

export async function changeOwnPassword(password: string, new_password: string): Promise<void> {
  await callApi(changePassword, { body: { password, new_password } })
}

/** What a form shows after a refusal: errors at the invalid fields, or one message above all fields. */
export function accountFaults(fault: unknown, otherwise: string): Faults {
  const { password, code, new_password } = fieldErrors(fault)
  const fields = {
    ...(password !== undefined && { password: words.wrongPassword }),
    ...(code !== undefined && { code: words.wrongCode }),
    ...(new_password !== undefined && { new_password: words.guessable }),
  }
  return Object.keys(fields).length > 0 ? { fields } : { said: faultText(fault, otherwise), fields }
}

const LanguageChoice = z.object({ language: z.nullable(z.enum(['es', 'en'])) })
const saveLanguageChoice = route('POST /api/language', { summary: '', body: LanguageChoice })

/** Stores the language in the user's account, and shows it. */
export async function chooseLanguage(language: Language | null): Promise<void> {
  await callApi(saveLanguageChoice, { body: { language } })
  await keepLanguage(language)
}
