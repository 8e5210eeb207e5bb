import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Signs the checksums of a release with this Ed25519 key, a private one as PEM. `sdd-agent verify` checks the signature.
 * The same key and files give the same signature.
 */
export function signSums(out: string, key_file: string): void {
  const key = createPrivateKey(readFileSync(key_file))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${key_file} is not an Ed25519 key`)
  const signature = sign(null, readFileSync(join(out, 'SHA256SUMS')), key)
  writeFileSync(join(out, 'SHA256SUMS.sig'), `${signature.toString('base64')}\n`)
}
