import * as contract from '@sdd/contract/accounts/settings.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listGlobalSettings, saveGlobalSettings } from './settings.ts'

type Needs = NeedsOf<typeof listGlobalSettings | typeof saveGlobalSettings>

export function settingsRoutes(serve: Serve, needs: Needs): void {
  serve(contract.readGlobalSettings, async ({ caller }) => ({
    settings: await listGlobalSettings(needs, caller),
  }))
  serve(contract.saveGlobalSettings, ({ body, query, caller }) =>
    saveGlobalSettings(needs, caller, body, query.company),
  )
}
