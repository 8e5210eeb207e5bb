import * as z from 'zod/mini'
import { ApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { Webhook } from '@sdd/contract/outward/callbacks.ts'
import { LinkCode } from '@sdd/contract/fleet/devices.ts'
import { IdParam } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** The things a user created that grant access or send task data. */
export const MadeByUser = z.object({
  /** They belong to the company and keep working without their creator. */
  api_keys: z.array(ApiKey),
  /** Like the keys. */
  webhooks: z.array(Webhook),
  /** They stop working for good once their creator is disabled, moves to another company or gets a lower role. */
  link_codes: z.array(LinkCode),
})
export type MadeByUser = z.infer<typeof MadeByUser>

export const readMadeByUser = route('GET /api/user/:id/made', {
  summary:
    'Lists the active API keys, webhooks and link codes that a user created, in companies visible to the caller.',
  may: 'users:manage',
  params: z.object({ id: IdParam }),
  reply: MadeByUser,
  errors: ['unknown_user'],
})
