import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/**
 * A new self-signed certificate for localhost and 127.0.0.1 with its key, both in PEM. It has the few X.509 structures
 * (RFC 5280) that a TLS client checks, in DER.
 */
export function makeCertificate(name: string, days = 90, from: Date = new Date()) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'))
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))
  const altNames = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const begins = new Date(from.getTime() - 60_000)
  const ends = new Date(from.getTime() + days * 86_400_000)
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaSha256,
    subject, // the issuer
    sequence(time(begins), time(ends)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, altNames)))),
  )
  const signature = sign('sha256', unsigned, privateKey)
  const certificate = sequence(unsigned, ecdsaSha256, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    /** To the second, like the certificate. */
    expires_at: Math.floor(ends.getTime() / 1_000) * 1_000,
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const integer = (bytes: Buffer) => der(0x02, bytes)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

/** UTCTime: `260131093000Z`. */
function time(at: Date): Buffer {
  return der(0x17, Buffer.from(`${at.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`))
}
