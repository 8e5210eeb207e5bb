import * as z from 'zod/mini'
import { Role } from './roles.ts'
import { route } from './route.ts'

export const Credentials = z.object({
  username: z.string().check(z.minLength(1, 'is required'), z.maxLength(254)),
  password: z.string().check(z.minLength(1, 'is required'), z.maxLength(1024)),
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
  summary: 'Opens a session. `username` is the name or the e-mail of a user, in any case.',
  may: 'anyone',
  body: Credentials,
  encoding: 'form',
  reply: Session,
  errors: ['bad_credentials', 'too_many_attempts'],
})

export const logout = route('POST /api/logout', {
  summary: 'Ends the session of the call at once.',
})
