import * as z from 'zod/mini'
import { CurrentPassword, LoginCode } from './auth.ts'
import { IdParam, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** Whether logging in asks for a code beside the password. */
export const SecondFactor = z.object({
  enabled: z.boolean(),
  /** Since when; null where it is off. */
  since: z.nullable(Instant),
  recovery_codes_left: z.int(),
})
export type SecondFactor = z.infer<typeof SecondFactor>

/** For an authenticator app, shown this once; it does nothing until a code of it is confirmed. */
export const Enrolment = z.object({
  /** Base32 (RFC 4648), without padding: codes of 6 digits, every 30 s, by HMAC-SHA-1 (RFC 6238). */
  secret: z.string(),
  /** `otpauth://totp/…`: the same and whose it is, as a QR code carries it. */
  uri: z.string(),
})
export type Enrolment = z.infer<typeof Enrolment>

/** Each opens a session once, in place of a code; shown this once. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })
export type RecoveryCodes = z.infer<typeof RecoveryCodes>

const Proof = z.object({ password: CurrentPassword, code: LoginCode })

export const readSecondFactor = route('GET /api/second-factor', {
  summary: "The caller's own second factor.",
  openBefore: ['second_factor_setup'],
  reply: SecondFactor,
})

export const enrolSecondFactor = route('POST /api/second-factor', {
  summary: "Begins with the caller's second factor: a secret for an authenticator app, shown this once.",
  openBefore: ['second_factor_setup'],
  body: z.object({ password: CurrentPassword }),
  reply: Enrolment,
  status: 201,
  errors: ['second_factor_on', 'too_many_attempts'],
})

export const confirmSecondFactor = route('POST /api/second-factor/confirm', {
  summary:
    "Turns it on with the first code of the app, answers the recovery codes, shown this once, and ends the caller's other sessions.",
  openBefore: ['second_factor_setup'],
  body: z.object({ code: LoginCode }),
  reply: RecoveryCodes,
  errors: ['second_factor_on', 'second_factor_off', 'too_many_attempts'],
})

export const renewRecoveryCodes = route('POST /api/second-factor/recovery-codes', {
  summary: 'New recovery codes in place of all earlier ones, shown this once.',
  body: Proof,
  reply: RecoveryCodes,
  errors: ['second_factor_off', 'too_many_attempts'],
})

export const disableSecondFactor = route('POST /api/second-factor/off', {
  summary: "Turns the caller's second factor off.",
  body: Proof,
  errors: ['second_factor_off', 'second_factor_enforced', 'too_many_attempts'],
})

export const removeSecondFactor = route('DELETE /api/user/:id/second-factor', {
  summary: 'Turns off the second factor of another user, who has lost the app and the recovery codes.',
  may: 'users:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_user', 'second_factor_off', 'proof_required'],
})
