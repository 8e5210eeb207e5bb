import * as contract from '@sdd/contract/fleet/devices.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { createLinkCode, listLinkCodes, revokeLinkCode } from './link-codes.ts'
import { linkDevice } from './linking.ts'
import { unlinkDevice } from './unlinking.ts'

type Needs = NeedsOf<
  | typeof createLinkCode
  | typeof listLinkCodes
  | typeof revokeLinkCode
  | typeof linkDevice
  | typeof unlinkDevice
> & {
  /** How a device learns that its reports are committed. */
  acks: LinkedDevice['acks']
  /** The MQTT address for a device that used this host name, or came through a proxy with TLS. */
  mqttUrl(host: string, through_proxy?: string): string
}

export function linkingRoutes(serve: Serve, needs: Needs): void {
  serve(contract.createLinkCode, ({ body, query, caller }) =>
    createLinkCode(needs, caller, body, query.company),
  )
  serve(contract.listLinkCodes, async ({ caller }) => ({
    link_codes: await listLinkCodes(needs, caller.scope),
  }))
  serve(contract.revokeLinkCode, ({ params, caller }) => revokeLinkCode(needs, caller, params.id))
  serve(contract.linkDevice, async ({ body, address, host, websocket_url }) => ({
    ...(await linkDevice(needs, body, address)),
    mqtt_url: needs.mqttUrl(host, websocket_url),
    acks: needs.acks,
  }))
  serve(contract.unlinkDevice, ({ params, caller }) => unlinkDevice(needs, caller, params.uid))
}
