import * as z from 'zod/mini'
import { Language, NewPassword } from '@sdd/contract/core/fields.ts'
import { Role } from '@sdd/contract/core/roles.ts'
import { duties, route } from '@sdd/contract/core/route.ts'

/** Any text: a stored password may be older than the rules for new ones. */
export const CurrentPassword = z.string().check(z.minLength(1, 'is required'), z.maxLength(1024))

/** Second factor: 6 digits from the authenticator app, or a recovery code. */
export const LoginCode = z.string().check(z.trim(), z.minLength(1, 'is required'), z.maxLength(64))

export const Credentials = z.object({
  username: z.string().check(z.minLength(1, 'is required'), z.maxLength(254)),
  password: CurrentPassword,
  /** Only for users with a second factor; an empty code counts as none. */
  code: z.optional(z.string().check(z.maxLength(64), z.trim())),
})
export type Credentials = z.infer<typeof Credentials>

export const Session = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  role: Role,
  id: z.int(),
  language: Language,
})
export type Session = z.infer<typeof Session>

/** The same text for a wrong name, a wrong password and a disabled user. */
export const BAD_CREDENTIALS = 'Usuario o contraseña incorrectos'

export const login = route('POST /api/login', {
  summary:
    "Opens a session. `username` is a user's name or e-mail, in any case. For a user with a second factor, a correct password without `code` is `second_factor_required`.",
  may: 'anyone',
  body: Credentials,
  encoding: 'form',
  reply: Session,
  errors: ['bad_credentials', 'second_factor_required', 'bad_code', 'too_many_attempts'],
})

export const logout = route('POST /api/logout', {
  summary: "Ends the caller's session.",
  openBefore: duties,
})

/** Identity proof for a session: the password, or a code of the user's second factor. */
export const Proof = z.strictObject({
  password: z.optional(z.nullable(CurrentPassword)),
  code: z.optional(z.nullable(LoginCode)),
})
export type Proof = z.infer<typeof Proof>

/** How long after an identity proof a session may grant access to others. */
export const PROOF_SECS = 300

export const proveSession = route('POST /api/proof', {
  summary:
    "Confirms the caller's identity for 5 minutes with `password` or `code`. Without it, calls that grant access are `proof_required`; a login does not count.",
  openBefore: ['second_factor_setup'],
  body: Proof,
  errors: ['invalid', 'too_many_attempts'],
})

export const changePassword = route('POST /api/password', {
  summary: "Changes the caller's password and ends their other sessions.",
  openBefore: duties,
  body: z.strictObject({ password: CurrentPassword, new_password: NewPassword }),
  errors: ['too_many_attempts'],
})
