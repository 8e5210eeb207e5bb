import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'

/**
 * The image's HEALTHCHECK runs this in the server's container. It exits with 0 if /healthz, or the path in its argument,
 * answers 200; otherwise with 1 and a line that says why.
 */
const { PORT, TLS_CERT_FILE } = process.env
const url = `${TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT || '8080'}/${process.argv[2] ?? 'healthz'}`

try {
  const signal = AbortSignal.timeout(4_000)
  // Loopback cannot be intercepted, and the certificate is for the public host name.
  const request = TLS_CERT_FILE
    ? https.get(url, { signal, rejectUnauthorized: false })
    : http.get(url, { signal })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  answer.resume()
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
} catch (error) {
  console.error(`${url}: ${(error as Error).message}`)
  process.exitCode = 1
}
