import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'

/** Whom a TLS connection to the server believes that it is the server. */
export type Trust = { readonly ca?: Buffer[]; readonly allowPartialTrustChain?: true }

/**
 * With a file, the authorities in it and no other; a server's own certificate may stand in it, too, and is then the
 * only one taken. Without, whom this process trusts anyway. Throws an Error of one sentence where the file is of no use.
 */
export function readTrust(ca_file: string | undefined): Trust {
  if (ca_file === undefined) return {}
  try {
    const ca = readFileSync(ca_file)
    if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('no certificate in PEM is in it')
    tls.createSecureContext({ ca })
    return { ca: [ca], allowPartialTrustChain: true }
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new Error(`the file ${ca_file} of --ca cannot be used (${why}): put it back, or link again`, {
      cause,
    })
  }
}

/** Beside the authorities that Node brings, this process trusts those of this machine, where Node can read them. */
export function trustSystem(): void {
  // From Node 22.19 on.
  if (!('setDefaultCACertificates' in tls)) return
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
}
