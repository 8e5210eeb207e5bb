import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'

/** The peer's IP address, with an IPv4-mapped IPv6 address as plain IPv4. Empty if the connection is gone. */
export function addressOf({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plain(remoteAddress)
}

/** The proxies in front of the server. */
export type Proxies = {
  has(address: string): boolean
  /**
   * The client's address: the connection's peer or, if that is a proxy, the nearest address in `X-Forwarded-For` that
   * is not a proxy. The client itself may have written the entries before that, so they are ignored.
   */
  askerOf(request: Forwarded): string
  /** Whether a known proxy forwarded this request and had received it over TLS. */
  hadTls(request: Forwarded): boolean
}

type Forwarded = Pick<IncomingMessage, 'headers'> & { socket: Pick<Socket, 'remoteAddress'> }

/** `list`: addresses, and networks such as `10.0.0.0/8`. Each must pass `isAddressOrNetwork`. */
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

/** Whether this is an IP address, or a network in CIDR notation. */
export function isAddressOrNetwork(text: string): boolean {
  const [, net = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(net)
  return family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128)
}

/**
 * The key under which a limit counts an address: the IPv4 address itself, or the /64 of an IPv6 address. A client with
 * one IPv6 address has its whole /64.
 */
export function networkOf(address: string): string {
  return address.includes(':') ? prefixOf(address, 64, 32) : address
}

/** The key of an additional, looser limit: the /48 of an IPv6 address. Many clients get a whole /48 for free. */
export function siteOf(address: string): string | undefined {
  return address.includes(':') ? prefixOf(address, 48, 32) : undefined
}

/** The networks that contain an address, from its provider's down to the network that `networkOf` returns. */
export function networksOf(address: string): string[] {
  return [prefixOf(address, 32, 16), prefixOf(address, 48, 24), networkOf(address)]
}

/** In CIDR notation. A whole IPv4 address has no suffix. */
function prefixOf(address: string, ipv6_bits: number, ipv4_bits: number): string {
  const groups = groupsOf(address)
  if (groups) {
    const kept = groups.slice(0, ipv6_bits / 16).map((group) => group.toString(16))
    return `${kept.join(':')}::/${ipv6_bits}`
  }
  if (ipv4_bits === 32 || isIP(address) !== 4) return address
  const kept = address.split('.').slice(0, ipv4_bits / 8)
  return `${kept.join('.')}/${ipv4_bits}`
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] | undefined {
  const [bare = ''] = address.split('%', 1)
  if (isIP(bare) !== 6) return undefined
  const hex = bare.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, ...bytes) =>
      `${(Number(bytes[0]) * 256 + Number(bytes[1])).toString(16)}:${(Number(bytes[2]) * 256 + Number(bytes[3])).toString(16)}`,
  )
  const [before = [], after = []] = hex
    .split('::', 2)
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))))
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** Returns the IPv4 address of an IPv4-mapped IPv6 address, in any spelling. Returns other addresses unchanged. */
function plain(address: string): string {
  if (!/^[0:]+:ffff:/i.test(address)) return address
  const groups = groupsOf(address)
  if (!groups || groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return address
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
