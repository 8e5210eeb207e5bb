import * as z from 'zod/mini'
import { ApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { Webhook } from '@sdd/contract/outward/callbacks.ts'
import { LinkCode } from '@sdd/contract/fleet/devices.ts'
import { IdParam } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** What a user made that lets others in, or tells them of tasks. */
export const MadeByUser = z.object({
  /** The company's: they work on without their maker. */
  api_keys: z.array(ApiKey),
  /** As the keys. */
  webhooks: z.array(Webhook),
  /** Dead for good once their maker is disabled, moves or gets a lower role. */
  link_codes: z.array(LinkCode),
})
export type MadeByUser = z.infer<typeof MadeByUser>

export const readMadeByUser = route('GET /api/user/:id/made', {
  summary:
    'The API keys, webhooks and link codes that a user made and that still work, in companies that the caller sees.',
  may: 'users:manage',
  params: z.object({ id: IdParam }),
  reply: MadeByUser,
  errors: ['unknown_user'],
})
