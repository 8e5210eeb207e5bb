import * as contract from '@sdd/contract/settings.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listDeviceSettings, listGlobalSettings, saveDeviceLimit, saveGlobalSettings } from './settings.ts'

export function settingsRoutes(serve: Serve, app: App): void {
  serve(contract.readGlobalSettings, async ({ caller }) => ({
    settings: await listGlobalSettings(app, caller),
  }))
  serve(contract.saveGlobalSettings, ({ body, query, caller }) =>
    saveGlobalSettings(app, caller, body, query.company),
  )
  serve(contract.listDeviceSettings, async ({ caller }) => ({
    devices: await listDeviceSettings(app, caller.scope),
  }))
  serve(contract.saveDeviceLimit, ({ body, caller }) => saveDeviceLimit(app, caller, body))
}
