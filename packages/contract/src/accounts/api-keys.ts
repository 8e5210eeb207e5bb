import * as z from 'zod/mini'
import {
  AnyInstant,
  CompanyQuery,
  IdParam,
  Instant,
  messageClasses,
  MessageClass,
  Name,
  Rotation,
} from '@sdd/contract/core/fields.ts'
import { keyPermissions } from '@sdd/contract/core/roles.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The permissions that a key may have. */
export const KeyPermission = z.enum(keyPermissions)
export type KeyPermission = z.infer<typeof KeyPermission>

/** The permissions of a key whose creation names none. */
const NEW_KEY_MAY: readonly KeyPermission[] = ['tasks:write', 'tasks:read']

/** The key with which another system submits tasks for a company. */
export const ApiKey = z.object({
  id: z.int(),
  company_id: z.int(),
  name: z.string(),
  may: z.array(KeyPermission),
  /** The classes of messages that it may send. */
  classes: z.array(MessageClass),
  /** The first characters of the key, to tell keys apart. */
  hint: z.string(),
  created_at: Instant,
  /** The name of its creator; null if that user was deleted. */
  by: z.nullable(z.string()),
  /** The same, under its older name. */
  created_by: z.nullable(z.string()),
  last_used_at: z.nullable(Instant),
  /** The IP address of its last use, as accurate as `last_used_at`. */
  last_used_from: z.nullable(z.string()),
  /** The key stops working then; null: never. */
  expires_at: z.nullable(Instant),
  /** After a rotation: until then the previous key and secret work too. Null: there are none. */
  previous_until: z.nullable(Instant),
})
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = z.strictObject({
  name: Name,
  may: z._default(
    z.array(KeyPermission).check(z.minLength(1, 'names at least one permission'), z.maxLength(8)),
    () => [...NEW_KEY_MAY],
  ),
  classes: z._default(
    z.array(MessageClass).check(z.minLength(1, 'names at least one class'), z.maxLength(8)),
    () => [...messageClasses],
  ),
  expires_at: z.optional(z.nullable(AnyInstant)),
  /** Whether to make a short login for SMPP too. */
  smpp: z.optional(z.boolean()),
})
export type NewApiKey = z.infer<typeof NewApiKey>

/** The only response that contains the key and its secret. */
export const CreatedApiKey = z.object({
  id: z.int(),
  name: z.string(),
  /** `sdk_…`, for `Authorization: Bearer`. */
  key: z.string(),
  /** `whsec_…`: signs the callbacks of this key's tasks. */
  webhook_secret: z.string(),
  may: z.array(KeyPermission),
  classes: z.array(MessageClass),
  expires_at: z.nullable(Instant),
  /** If it was asked for: a login for programs that cut the password of SMPP to 8 characters. */
  smpp: z.optional(z.object({ system_id: z.string(), password: z.string() })),
})
export type CreatedApiKey = z.infer<typeof CreatedApiKey>

/** A key after its rotation. Both secrets are new and shown only once. */
export const RotatedApiKey = z.extend(ApiKey, CreatedApiKey.shape)
export type RotatedApiKey = z.infer<typeof RotatedApiKey>

export const listApiKeys = route('GET /api/api-keys', {
  summary: "Lists the company's active API keys, newest first.",
  may: 'keys:manage',
  reply: z.object({ api_keys: z.array(ApiKey) }),
})

export const createApiKey = route('POST /api/api-keys', {
  summary: 'Creates an API key. The key and its webhook secret are shown only once.',
  may: 'keys:manage',
  query: CompanyQuery,
  body: NewApiKey,
  reply: CreatedApiKey,
  status: 201,
  errors: ['unknown_company', 'quota_reached', 'proof_required', 'too_many_attempts'],
})

export const rotateApiKey = route('POST /api/api-keys/:id/rotate', {
  summary:
    'Rotates a key and its webhook secret. The new ones are shown only once; the previous ones work until the overlap ends.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  body: Rotation,
  reply: RotatedApiKey,
  errors: ['unknown_api_key', 'proof_required'],
})

export const endPreviousKey = route('DELETE /api/api-keys/:id/previous', {
  summary: 'Ends the overlap of a rotation: the previous key and secret stop working.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_api_key'],
})

export const revokeApiKey = route('DELETE /api/api-keys/:id', {
  summary: 'Revokes an API key, and the previous one of a rotation.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_api_key'],
})
