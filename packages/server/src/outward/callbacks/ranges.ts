import { BlockList, isIP } from 'node:net'

/**
 * Whether the IP address belongs to the public internet. Private networks, this machine, the local link (which includes
 * a cloud's metadata), multicast and reserved addresses do not. Nor do IPv6 addresses that contain an IPv4 address,
 * because that could be any of those. Follows IANA's special-purpose registries (RFC 6890) for IPv4 and IPv6.
 */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && unicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

const special = new BlockList()
const unicast = new BlockList()

const SPECIAL_IPV4: readonly [net: string, prefix: number][] = [
  ['0.0.0.0', 8], // this network, RFC 791
  ['10.0.0.0', 8], // private, RFC 1918
  ['100.64.0.0', 10], // between a carrier and its customers, RFC 6598
  ['127.0.0.0', 8], // loopback, RFC 1122
  ['169.254.0.0', 16], // local link, RFC 3927: clouds serve their metadata here
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments, RFC 6890
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.88.99.0', 24], // relays of 6to4, RFC 7526
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks, RFC 2544
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved, and broadcast, RFC 1112
]

/** Special ranges within 2000::/3. Nothing outside is public: ::1, fc00::/7, fe80::/10, 64:ff9b::/96 … */
const SPECIAL_IPV6: readonly [net: string, prefix: number][] = [
  ['2001::', 23], // protocol assignments, RFC 2928: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation, RFC 3849
  ['2002::', 16], // 6to4, which carries an IPv4 address, RFC 3056
  ['3fff::', 20], // documentation, RFC 9637
]

for (const [net, prefix] of SPECIAL_IPV4) special.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of SPECIAL_IPV6) special.addSubnet(net, prefix, 'ipv6')
unicast.addSubnet('2000::', 3, 'ipv6')
