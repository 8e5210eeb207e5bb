import * as z from 'zod/mini'
import { AnyInstant, CompanyQuery, IdParam, Instant, Name, Rotation } from '@sdd/contract/core/fields.ts'
import { keyPermissions } from '@sdd/contract/core/roles.ts'
import { route } from '@sdd/contract/core/route.ts'

/** What a key may be allowed to do. */
export const KeyPermission = z.enum(keyPermissions)
export type KeyPermission = z.infer<typeof KeyPermission>

/** With what another system hands in tasks for a company. */
export const ApiKey = z.object({
  id: z.int(),
  company_id: z.int(),
  name: z.string(),
  may: z.array(KeyPermission),
  /** Its first characters, to tell keys apart. */
  hint: z.string(),
  created_at: Instant,
  /** Who made it, by name; null where that user is gone. */
  by: z.nullable(z.string()),
  /** The same, under its older name. */
  created_by: z.nullable(z.string()),
  last_used_at: z.nullable(Instant),
  /** From then on it opens nothing; null: never. */
  expires_at: z.nullable(Instant),
  /** After a rotation: until then the key and secret from before it work as well. Null: there are none. */
  previous_until: z.nullable(Instant),
})
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = z.object({
  name: Name,
  may: z._default(
    z.array(KeyPermission).check(z.minLength(1, 'names at least one permission'), z.maxLength(8)),
    () => [...keyPermissions],
  ),
  expires_at: z.optional(z.nullable(AnyInstant)),
})
export type NewApiKey = z.infer<typeof NewApiKey>

/** The one time that the key and its secret are shown. */
export const MadeApiKey = z.object({
  id: z.int(),
  name: z.string(),
  /** `sdk_…`, for `Authorization: Bearer`. */
  key: z.string(),
  /** `whsec_…`: signs the callbacks of the tasks that this key hands in. */
  webhook_secret: z.string(),
  may: z.array(KeyPermission),
  expires_at: z.nullable(Instant),
})
export type MadeApiKey = z.infer<typeof MadeApiKey>

/** A key after its rotation. Both secrets are new, and shown this once. */
export const RotatedApiKey = z.extend(ApiKey, MadeApiKey.shape)
export type RotatedApiKey = z.infer<typeof RotatedApiKey>

export const listApiKeys = route('GET /api/api-keys', {
  summary: "The company's API keys that may still be used, newest first.",
  may: 'keys:manage',
  reply: z.object({ api_keys: z.array(ApiKey) }),
})

export const createApiKey = route('POST /api/api-keys', {
  summary: 'Makes an API key. The key and its webhook secret are shown this once.',
  may: 'keys:manage',
  query: CompanyQuery,
  body: NewApiKey,
  reply: MadeApiKey,
  status: 201,
  errors: ['unknown_company', 'quota_reached', 'proof_required'],
})

export const rotateApiKey = route('POST /api/api-keys/:id/rotate', {
  summary:
    'Gives a key and its webhook secret anew, shown this once. Those from before work until the overlap ends.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  body: Rotation,
  reply: RotatedApiKey,
  errors: ['unknown_api_key', 'proof_required'],
})

export const endPreviousKey = route('DELETE /api/api-keys/:id/previous', {
  summary: 'Ends the overlap of a rotation: the key and secret from before it are dead from now on.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_api_key'],
})

export const revokeApiKey = route('DELETE /api/api-keys/:id', {
  summary: 'Revokes an API key: it opens nothing from now on, nor does the one from before a rotation.',
  may: 'keys:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_api_key'],
})
