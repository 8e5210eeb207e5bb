import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Where connections come from, as limits and log lines have it. */
export type Addresses = {
  ofSocket(socket: Pick<Socket, 'remoteAddress'>): string
  /** Of the client that asks, if a proxy is in between. */
  ofRequest(request: Pick<IncomingMessage, 'headers' | 'socket'>): string
  /** What a limit of an address counts together. */
  networkOf(address: string): string
}

/** Without proxies, and each address by itself. */
export const PLAIN_ADDRESSES: Addresses = {
  ofSocket: ({ remoteAddress = '' }) => remoteAddress,
  ofRequest: ({ socket: { remoteAddress = '' } }) => remoteAddress,
  networkOf: (address) => address,
}
