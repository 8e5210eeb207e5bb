import * as changes from '@sdd/contract/fleet/device-changes.ts'
import * as contract from '@sdd/contract/fleet/devices.ts'
import * as limits from '@sdd/contract/fleet/limits.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { editDevice, editDevices } from './changing.ts'
import { listDevices, readNetworks, renewSecret, setEnabled } from './devices.ts'
import { listDeviceSettings, saveDeviceLimit } from './daily-limits.ts'

type Needs = NeedsOf<
  | typeof listDevices
  | typeof readNetworks
  | typeof setEnabled
  | typeof editDevice
  | typeof renewSecret
  | typeof listDeviceSettings
  | typeof saveDeviceLimit
>

export function deviceRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listDevices, async ({ caller }) => ({ devices: await listDevices(needs, caller.scope) }))
  serve(contract.readNetworks, ({ params, caller }) => readNetworks(needs, caller.scope, params.uid))
  serve(contract.enableDevice, ({ params, caller }) => setEnabled(needs, caller, params.uid, true))
  serve(contract.disableDevice, ({ params, caller }) => setEnabled(needs, caller, params.uid, false))
  serve(changes.changeDevice, ({ params, body, caller }) => editDevice(needs, caller, params.uid, body))
  serve(changes.changeDevices, ({ body, caller }) => editDevices(needs, caller, body))
  serve(contract.renewSecret, ({ params, caller }) => renewSecret(needs, caller, params.uid))
  serve(limits.listDeviceSettings, async ({ caller }) => ({
    devices: await listDeviceSettings(needs, caller.scope),
  }))
  serve(limits.saveDeviceLimit, ({ body, caller }) => saveDeviceLimit(needs, caller, body))
}
