import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'

/** The IP address at the other end of a connection, an IPv4 one as itself; empty where the connection is gone. */
export function addressOf({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plain(remoteAddress)
}

/** The proxies in front of the server. */
export type Proxies = {
  has(address: string): boolean
  /**
   * The address that asks: the other end of the connection, or where that is a proxy, the nearest address in its
   * `X-Forwarded-For` that is none. What stands before that was written by whoever asks.
   */
  askerOf(request: Forwarded): string
  /** Whether a proxy hands the request on that came to it over TLS. */
  hadTls(request: Forwarded): boolean
}

type Forwarded = Pick<IncomingMessage, 'headers'> & { socket: Pick<Socket, 'remoteAddress'> }

/** `list`: addresses, and networks such as `10.0.0.0/8`, each one that `isAddressOrNetwork`. */
export function openProxies(list: readonly string[]): Proxies {
  const proxies = new BlockList()
  for (const entry of list) {
    const [net = '', prefix] = entry.split('/')
    const family = isIP(net) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) proxies.addAddress(net, family)
    else proxies.addSubnet(net, Number(prefix), family)
  }
  const has = (address: string) =>
    list.length > 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return {
    has,
    askerOf({ headers, socket }) {
      let asker = addressOf(socket)
      if (list.length === 0) return asker
      const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
      while (has(asker)) {
        const before = plain((forwarded.pop() ?? '').trim())
        if (isIP(before) === 0) break
        asker = before
      }
      return asker
    },
    hadTls: ({ headers, socket }) =>
      has(addressOf(socket)) && /^https\b/i.test(String(headers['x-forwarded-proto'] ?? '')),
  }
}

/** Whether this is an IP address, or a network as CIDR writes it. */
export function isAddressOrNetwork(text: string): boolean {
  const [, net = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(net)
  return family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128)
}

function plain(address: string): string {
  if (!address.startsWith('::ffff:')) return address
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}
