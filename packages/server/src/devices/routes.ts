import * as hook from '@sdd/contract/broker-hook.ts'
import * as contract from '@sdd/contract/devices.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listDevices, readNetworks, renewSecret, setEnabled } from './devices.ts'
import { createLinkCode, listLinkCodes, revokeLinkCode } from './link-codes.ts'
import { linkDevice } from './linking.ts'
import { unlinkDevice } from './unlinking.ts'

export function deviceRoutes(serve: Serve, app: App): void {
  serve(contract.listDevices, async ({ caller }) => ({ devices: await listDevices(app, caller.scope) }))
  serve(contract.readNetworks, ({ params, caller }) => readNetworks(app, caller.scope, params.uid))
  serve(contract.enableDevice, ({ params, caller }) => setEnabled(app, caller, params.uid, true))
  serve(contract.disableDevice, ({ params, caller }) => setEnabled(app, caller, params.uid, false))
  serve(contract.createLinkCode, ({ body, query, caller }) =>
    createLinkCode(app, caller, body, query.company),
  )
  serve(contract.listLinkCodes, async ({ caller }) => ({
    link_codes: await listLinkCodes(app, caller.scope),
  }))
  serve(contract.revokeLinkCode, ({ params, caller }) => revokeLinkCode(app, caller, params.id))
  serve(contract.linkDevice, async ({ body, address, host, websocket_url }) => ({
    ...(await linkDevice(app, body, address)),
    mqtt_url: app.mqttUrl(host, websocket_url),
    acks: app.acks,
  }))
  serve(contract.renewSecret, ({ params, caller }) => renewSecret(app, caller, params.uid))
  serve(contract.unlinkDevice, ({ params, caller }) => unlinkDevice(app, caller, params.uid))
  serve(hook.authenticateClient, ({ body, address }) => app.hook.authenticate(named(body), address))
  serve(hook.authorizeClient, ({ body, address }) => app.hook.authorize(named(body), address))
}

/** Null, where the client gave none, is a name and a password of nobody. */
function named<Body extends object>(body: Body) {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? ''])) as {
    [Name in keyof Body]: NonNullable<Body[Name]>
  }
}
