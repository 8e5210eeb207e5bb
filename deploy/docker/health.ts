/** Run by the image's HEALTHCHECK beside the server: ends with 0 if /healthz answers 200, else with 1 and a line why. */
const { PORT = '8080', TLS_CERT_FILE } = process.env
// It asks over loopback, and the certificate names the host that others ask.
if (TLS_CERT_FILE) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
const url = `${TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT || '8080'}/healthz`

try {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(4_000) })
  if (status !== 200) throw new Error(`status ${status}`)
} catch (error) {
  const { message, cause } = error as Error
  console.error(`${url}: ${cause instanceof Error ? cause.message : message}`)
  process.exitCode = 1
}
