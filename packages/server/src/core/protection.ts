/**
 * What every answer carries, whatever it is: nobody may frame it, guess its type, keep it, or load it from another
 * origin, and a browser that opens it as a page runs nothing of it. The console's own files set their own policy and
 * cache time in place of these. HSTS only over TLS, as RFC 6797 (7.2) has it, and for
 * names below the server's own too: else a page at such a name, without TLS, could be put in a person's way.
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

/** The same as lines of an answer that is written by hand. */
export function protectiveLines(encrypted: boolean): string {
  return Object.entries(protectiveHeaders(encrypted))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
