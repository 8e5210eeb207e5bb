import { BlockList, isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './config.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/**
 * Warns once if other machines can reach the server at `address` and nothing encrypts what they send. A proxy named in
 * `PROXIES` is assumed to speak TLS.
 */
export function warnIfInTheClear(needs: {
  log: Pick<Logger, 'warn'>
  config: Pick<Config, 'HOST' | 'TLS' | 'PROXIES'>
  /** The address that the listener is bound to. `HOST` may be a name, which does not show it. */
  address: string
}): void {
  const { log, config, address } = needs
  if (config.TLS || config.PROXIES || LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return
  log.warn(
    `HOST is ${config.HOST}, without TLS_CERT_FILE and without PROXIES: passwords and the devices' secrets go over ` +
      'the network in the clear. Set a certificate, or put a proxy with TLS in front and name it in PROXIES',
  )
}
