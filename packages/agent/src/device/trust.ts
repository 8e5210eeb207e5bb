import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'

/** The certificates that a TLS connection to the server accepts. */
export type Trust = { readonly ca?: Buffer[]; readonly allowPartialTrustChain?: true }

/**
 * With a file, only the authorities in it are trusted. The file may instead have the server's own certificate, and then
 * only that is accepted. Without a file, this process's usual authorities are trusted. Throws an Error of one sentence
 * if the file is unusable.
 */
export function readTrust(ca_file: string | undefined): Trust {
  if (ca_file === undefined) return {}
  try {
    const ca = readFileSync(ca_file)
    if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it has no PEM certificate')
    tls.createSecureContext({ ca })
    return { ca: [ca], allowPartialTrustChain: true }
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new Error(`the file ${ca_file} of --ca cannot be used (${why}): put it back, or link again`, {
      cause,
    })
  }
}

/** Adds this machine's authorities to those that Node brings, if Node can read them. */
export function trustSystem(): void {
  // Available since Node 22.19.
  if (!('setDefaultCACertificates' in tls)) return
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
}
