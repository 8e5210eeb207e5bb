import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import { type Certificate, type CertificateFiles, checkCertificate } from './config.ts'
import { type Clock, DAY_MS, formatDuration, instant } from './clock.ts'
import { startLoop } from './loop.ts'
import type { Metrics } from './metrics.ts'

/** The certificate for new TLS connections. Open connections keep the one they began with. */
export type Tls = {
  options(): SecureContextOptions
  /** The same as a secure context, created once per pair. */
  context(): SecureContext
  /** When the certificate in use expires, in milliseconds since 1970. */
  expires_at(): number
  /** Calls the listener each time a new pair comes into use. */
  onRenewed(listener: () => void): void
  /** Checks the files soon, without waiting for the next interval. */
  look(): void
  stop(): Promise<void>
}

/** Both files are small. Reading them detects every kind of replacement: in place, by rename, or by a symbolic link. */
const LOOK_MS = 10_000
/** The two files are not replaced at the same moment. A pair that does not match is read again before it is logged. */
const SETTLE_MS = 1_000
const EXPIRES_SOON_MS = 14 * DAY_MS
const WARN_EVERY_MS = DAY_MS

/** Mozilla's "intermediate" suites (version 5.7). Each has forward secrecy and authenticated encryption. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

type Needs = {
  /** The pair as read at the start, and the paths of its files. */
  certificate: Certificate & CertificateFiles
  clock: Pick<Clock, 'now'>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  look_ms?: number
  settle_ms?: number
}

/**
 * Reloads the certificate and its key when their files change, and warns daily from 14 days before expiry. If a new
 * pair cannot be read or does not match, an error is logged and the old pair stays in use.
 */
export function openTls(needs: Needs): Tls {
  const { certificate, clock, log, look_ms = LOOK_MS, settle_ms = SETTLE_MS } = needs
  const { cert_file, key_file } = certificate
  const listeners: (() => void)[] = []
  let used = inUse(certificate)
  let refused: { why: string; since: number; logged: boolean } | undefined
  let warned_at = -Infinity

  async function look(): Promise<number | void> {
    warnOfExpiry()
    try {
      const [cert, key] = await Promise.all([readFile(cert_file), readFile(key_file)])
      if (!cert.equals(used.cert) || !key.equals(used.key)) take({ cert, key })
      refused = undefined
    } catch (error) {
      return refuse((error as Error).message)
    }
  }

  function take(pair: Certificate): void {
    checkCertificate(pair)
    used = inUse(pair)
    warned_at = -Infinity
    log.info(`The certificate in ${cert_file} is renewed, and expires at ${instant(used.expires_at)}`)
    for (const listener of listeners) listener()
    warnOfExpiry()
  }

  function refuse(why: string): number | void {
    if (refused?.why !== why) refused = { why, since: performance.now(), logged: false }
    if (refused.logged) return
    if (performance.now() - refused.since < settle_ms) return settle_ms
    refused.logged = true
    log.error(`The new certificate cannot be used, so the old one stays in use: ${why}`)
  }

  function warnOfExpiry(): void {
    const now = clock.now()
    if (used.expires_at - now > EXPIRES_SOON_MS || now - warned_at < WARN_EVERY_MS) return
    warned_at = now
    const left_secs = (used.expires_at - now) / 1_000
    if (left_secs > 0) {
      log.warn(
        `The certificate in ${cert_file} expires in ${formatDuration(left_secs)}: renew it; that needs no restart`,
      )
    } else log.error(`The certificate in ${cert_file} expired at ${instant(used.expires_at)}: renew it`)
  }

  const loop = startLoop({ name: 'the certificate', every_ms: look_ms, work: look, log })
  return {
    options: () => used.options,
    context: () => used.context,
    expires_at: () => used.expires_at,
    onRenewed: (listener) => void listeners.push(listener),
    look: loop.wake,
    stop: loop.stop,
  }
}

export function watchCertificate(metrics: Metrics, tls: Pick<Tls, 'expires_at'>): void {
  const name = 'sdd_certificate_expires_timestamp_seconds'
  metrics.gauge(name, 'When the certificate in use expires, in seconds since 1970', [], (set) =>
    set({}, tls.expires_at() / 1_000),
  )
}

function inUse({ cert, key }: Certificate) {
  const options = { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS } as const
  return {
    cert,
    key,
    options,
    context: createSecureContext(options),
    expires_at: new X509Certificate(cert).validToDate.getTime(),
  }
}
