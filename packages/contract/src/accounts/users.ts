import * as z from 'zod/mini'
import { formatCodes, IdParam, Instant, Language, Name, NewPassword } from '@sdd/contract/core/fields.ts'
import { Role } from '@sdd/contract/core/roles.ts'
import { route } from '@sdd/contract/core/route.ts'

export const User = z.object({
  id: z.int(),
  name: z.string(),
  /** Null if it is a colleague's and the caller is not an admin. */
  email: z.nullable(z.string()),
  role: Role,
  enabled: z.boolean(),
  companyId: z.int(),
  company: z.string(),
  /** Whether login also asks for a code; null as for `email`. */
  second_factor: z.nullable(z.boolean()),
  language: Language,
  /** Null before the first login, and as for `email`. */
  last_login_at: z.nullable(Instant),
})
export type User = z.infer<typeof User>

export const UserChange = z.object({
  /** Absent: a new user. */
  id: z.optional(z.nullable(z.int())),
  name: Name,
  email: z
    .string()
    .check(
      z.trim(),
      z.maxLength(254),
      z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address, such as ana@example.com'),
    )
    .register(formatCodes, { code: 'email_format' }),
  role: Role,
  /** Required for a new user. */
  password: z.optional(z.nullable(NewPassword)),
  enabled: z.optional(z.boolean()),
  /** Only a superadmin may set it. A new id creates that company. */
  companyId: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(2_147_483_647)))),
})
export type UserChange = z.infer<typeof UserChange>

export const SavedUser = z.object({ status: z.string(), id: z.int() })
export type SavedUser = z.infer<typeof SavedUser>

export const listUsers = route('GET /api/my-users', {
  summary: "Lists the users of the caller's company; for a superadmin, all users.",
  reply: z.object({ users: z.array(User) }),
})

export const saveUser = route('POST /api/user', {
  summary:
    "Creates a user (201), or with `id` edits one (200). A new password, role or company and `enabled: false` end that user's other sessions. Making an admin or superadmin, or setting a password, needs a proof of the last 5 minutes. The caller's own password is changed with `POST /api/password`.",
  may: 'users:manage',
  body: UserChange,
  reply: SavedUser,
  otherStatus: 201,
  errors: [
    'unknown_user',
    'name_taken',
    'email_taken',
    'last_superadmin',
    'quota_reached',
    'proof_required',
    'too_many_attempts',
  ],
})

export const chooseLanguage = route('POST /api/language', {
  summary: "Chooses the language of the console for the caller; null restores the specification's wording.",
  body: z.strictObject({ language: Language }),
})

export const readUser = route('GET /api/user/:id', {
  summary: 'One user of a company visible to the caller.',
  params: z.object({ id: IdParam }),
  reply: User,
  errors: ['unknown_user'],
})
