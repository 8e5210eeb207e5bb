import * as z from 'zod/mini'
import { CurrentPassword, LoginCode } from './auth.ts'
import { IdParam, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** Whether login asks for a code in addition to the password. */
export const SecondFactor = z.object({
  enabled: z.boolean(),
  /** Since when it is on; null if it is off. */
  since: z.nullable(Instant),
  recovery_codes_left: z.int(),
})
export type SecondFactor = z.infer<typeof SecondFactor>

/** For an authenticator app, shown only once. It takes effect when a code of it is confirmed. */
export const Enrolment = z.object({
  /** Base32 (RFC 4648), without padding: codes of 6 digits, every 30 s, by HMAC-SHA-1 (RFC 6238). */
  secret: z.string(),
  /** `otpauth://totp/…`: the secret and the user's name, for a QR code. */
  uri: z.string(),
})
export type Enrolment = z.infer<typeof Enrolment>

/** Each code replaces the app's code once, and is shown only once. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })
export type RecoveryCodes = z.infer<typeof RecoveryCodes>

const Proof = z.strictObject({ password: CurrentPassword, code: LoginCode })

export const readSecondFactor = route('GET /api/second-factor', {
  summary: "The state of the caller's second factor.",
  openBefore: ['second_factor_setup'],
  reply: SecondFactor,
})

export const enrolSecondFactor = route('POST /api/second-factor', {
  summary:
    "Starts setting up the caller's second factor. The secret for the authenticator app is shown only once.",
  openBefore: ['second_factor_setup'],
  body: z.strictObject({ password: CurrentPassword }),
  reply: Enrolment,
  status: 201,
  errors: ['second_factor_on', 'too_many_attempts'],
})

export const confirmSecondFactor = route('POST /api/second-factor/confirm', {
  summary:
    "Turns on the second factor with the app's first code and ends the caller's other sessions. The recovery codes are shown only once.",
  openBefore: ['second_factor_setup'],
  body: z.strictObject({ code: LoginCode }),
  reply: RecoveryCodes,
  errors: ['second_factor_on', 'second_factor_off', 'too_many_attempts'],
})

export const renewRecoveryCodes = route('POST /api/second-factor/recovery-codes', {
  summary: 'Replaces all recovery codes. The new ones are shown only once.',
  body: Proof,
  reply: RecoveryCodes,
  errors: ['second_factor_off', 'too_many_attempts'],
})

export const disableSecondFactor = route('POST /api/second-factor/off', {
  summary: "Turns off the caller's second factor.",
  body: Proof,
  errors: ['second_factor_off', 'second_factor_enforced', 'too_many_attempts'],
})

export const removeSecondFactor = route('DELETE /api/user/:id/second-factor', {
  summary:
    "Turns off another user's second factor, for example after they lost the app and the recovery codes.",
  may: 'users:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_user', 'second_factor_off', 'proof_required'],
})
