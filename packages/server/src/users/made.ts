import type { MadeByUser } from '@sdd/contract/users.ts'
import { listApiKeys } from '#server/api-keys/api-keys.ts'
import { listWebhooks } from '#server/callbacks/webhooks.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { listLinkCodes } from '#server/devices/link-codes.ts'
import { readUser } from './users.ts'

/** What a user whom the caller sees made, in the caller's scope, and what of it still works. `unknown_user`. */
export async function madeByUser(
  needs: { db: Database; clock: Clock },
  caller: Caller,
  id: number,
): Promise<MadeByUser> {
  await readUser(needs, caller, id)
  return {
    api_keys: await listApiKeys(needs, caller.scope, id),
    webhooks: await listWebhooks(needs, caller.scope, id),
    link_codes: await listLinkCodes(needs, caller.scope, id),
  }
}
