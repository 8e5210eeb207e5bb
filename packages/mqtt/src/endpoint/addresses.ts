import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The address of a connection, as used for limits and in log lines. */
export type Addresses = {
  ofSocket(socket: Pick<Socket, 'remoteAddress'>): string
  /** The client's address, even if a proxy is in between. */
  ofRequest(request: Pick<IncomingMessage, 'headers' | 'socket'>): string
  /** The group of addresses that share a limit. */
  networkOf(address: string): string
}

/** Without proxies; each address is its own group. */
export const PLAIN_ADDRESSES: Addresses = {
  ofSocket: ({ remoteAddress = '' }) => remoteAddress,
  ofRequest: ({ socket: { remoteAddress = '' } }) => remoteAddress,
  networkOf: (address) => address,
}
