import * as z from 'zod/mini'
import { ApiKey } from './api-keys.ts'
import { Webhook } from './callbacks.ts'
import { LinkCode } from './devices.ts'
import { IdParam } from './fields.ts'
import { route } from './route.ts'

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
