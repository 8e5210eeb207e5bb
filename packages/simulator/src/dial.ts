import { createConnection, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { createWebSocketStream, WebSocket } from 'ws'

/** The address of a fleet's server. */
export type Address =
  | { readonly host: string; readonly port: number; readonly secure: boolean }
  | { readonly websocket: string }

/** The address in a `mqtt_url`: mqtt, mqtts, ws or wss. Throws an Error for one that these devices cannot use. */
export function addressOf(mqtt_url: string): Address {
  const url = URL.parse(mqtt_url)
  if (url?.protocol === 'ws:' || url?.protocol === 'wss:') return { websocket: url.href }
  if (url?.protocol !== 'mqtt:' && url?.protocol !== 'mqtts:') {
    throw new Error(`${mqtt_url} is not mqtt://host:port, mqtts://, ws:// or wss://`)
  }
  const secure = url.protocol === 'mqtts:'
  const host = url.hostname.replace(/^\[|\]$/g, '') // IPv6 address
  return { host, port: Number(url.port || (secure ? 8883 : 1883)), secure }
}

/** `unref` lets the process end while the socket is open, if the transport supports it. */
export type Socket = Duplex & { unref: () => void }

/** Connects, and calls `open` once it can write. TLS uses the certificates that the process trusts. */
export function dial(address: Address, open: () => void): Socket {
  if ('websocket' in address) {
    const websocket = new WebSocket(address.websocket, ['mqtt'], { perMessageDeflate: false })
    websocket.once('open', open)
    return Object.assign(createWebSocketStream(websocket), { unref: () => undefined })
  }
  const { host, port, secure } = address
  if (!secure) return createConnection({ host, port, noDelay: true }, open)
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host, port, ...servername }, open).setNoDelay(true)
}
