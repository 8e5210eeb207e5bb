/**
 * The headers of every response. They forbid framing, type sniffing, caching, and loading from another origin. A
 * response that a browser opens as a page runs no scripts. The console's own files replace the policy and the cache
 * time. HSTS is sent only over TLS, as RFC 6797 (7.2) requires. It includes subdomains; otherwise an attacker could
 * serve people a page without TLS under a subdomain.
 */
export function protectiveHeaders(encrypted: boolean): Readonly<Record<string, string>> {
  return encrypted
    ? { ...HEADERS, 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }
    : HEADERS
}

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** The same as header lines, for a response that is written by hand. */
export function protectiveLines(encrypted: boolean): string {
  return Object.entries(protectiveHeaders(encrypted))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
