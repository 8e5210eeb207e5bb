import * as z from 'zod/mini'
import { NewPassword } from '@sdd/contract/core/fields.ts'
import { Role } from '@sdd/contract/core/roles.ts'
import { duties, route } from '@sdd/contract/core/route.ts'

/** Proves who one is: any text, as what is stored may be older than what new ones must be. */
export const CurrentPassword = z.string().check(z.minLength(1, 'is required'), z.maxLength(1024))

/** Of the second factor: 6 digits of the authenticator app, or a recovery code. */
export const LoginCode = z.string().check(z.trim(), z.minLength(1, 'is required'), z.maxLength(64))

export const Credentials = z.object({
  username: z.string().check(z.minLength(1, 'is required'), z.maxLength(254)),
  password: CurrentPassword,
  /** Of a user with a second factor alone; an empty one counts as none. */
  code: z.optional(z.string().check(z.maxLength(64), z.trim())),
})
export type Credentials = z.infer<typeof Credentials>

export const Session = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  role: Role,
  id: z.int(),
})
export type Session = z.infer<typeof Session>

/** The one text for a wrong name, a wrong password and a disabled user. */
export const BAD_CREDENTIALS = 'Usuario o contraseña incorrectos'

export const login = route('POST /api/login', {
  summary:
    'Opens a session. `username` is the name or the e-mail of a user, in any case. The right pair of a user with a second factor is `second_factor_required` until a `code` comes with it.',
  may: 'anyone',
  body: Credentials,
  encoding: 'form',
  reply: Session,
  errors: ['bad_credentials', 'second_factor_required', 'bad_code', 'too_many_attempts'],
})

export const logout = route('POST /api/logout', {
  summary: 'Ends the session of the call at once.',
  openBefore: duties,
})

/** What a session shows to prove who holds it: the password, or a code of the user's second factor. */
export const Proof = z.object({
  password: z.optional(z.nullable(CurrentPassword)),
  code: z.optional(z.nullable(LoginCode)),
})
export type Proof = z.infer<typeof Proof>

/** For this long a session that has proved who holds it may give access. */
export const PROOF_SECS = 300

export const proveSession = route('POST /api/proof', {
  summary:
    'Proves who holds this session, for 5 minutes, by `password` or `code`: calls that give somebody access are `proof_required` without. Logging in is no proof.',
  openBefore: ['second_factor_setup'],
  body: Proof,
  errors: ['invalid', 'too_many_attempts'],
})

export const changePassword = route('POST /api/password', {
  summary: "Changes the caller's own password, and ends their other sessions.",
  openBefore: duties,
  body: z.object({ password: CurrentPassword, new_password: NewPassword }),
  errors: ['too_many_attempts'],
})
