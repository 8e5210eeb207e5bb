import { type MadeByUser, readMadeByUser } from '@sdd/contract/insight/made-by-user.ts'
import { listApiKeys } from '#server/accounts/api-keys/api-keys.ts'
import { listWebhooks } from '#server/outward/callbacks/webhooks.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import type { Database } from '#server/database/open.ts'
import { listLinkCodes } from '#server/fleet/linking/link-codes.ts'
import { readUser } from '#server/accounts/users/users.ts'

export function madeByUserRoutes(serve: Serve, needs: Needs): void {
  serve(readMadeByUser, ({ params, caller }) => madeByUser(needs, caller, params.id))
}

type Needs = { db: Database; clock: Clock }

/** The API keys, webhooks and link codes of a user that still work, within the caller's scope. `unknown_user`. */
async function madeByUser(needs: Needs, caller: Caller, id: number): Promise<MadeByUser> {
  await readUser(needs, caller, id)
  return {
    api_keys: await listApiKeys(needs, caller.scope, id),
    webhooks: await listWebhooks(needs, caller.scope, id),
    link_codes: await listLinkCodes(needs, caller.scope, id),
  }
}
