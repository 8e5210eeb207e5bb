type Fault = Error & { code?: string | number; errors?: (Error & { code?: string })[] }

const REFUSALS: Record<number, string> = {
  1: 'the server does not speak MQTT 3.1.1',
  2: 'the server does not take this uid',
  3: 'the server is not ready',
}
const BAD_CREDENTIALS = [4, 5]
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
]

/** HOST is replaced by the server's name and port. */
const OFFLINE = 'there is no way to HOST: is this machine online?'
const UNRESOLVED = 'the name in HOST cannot be resolved: is this machine online?'
const NO_TLS = 'HOST does not speak TLS on this port'
const CODES: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at HOST: is the server running, and the port open?',
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
  ENETUNREACH: OFFLINE,
  EHOSTUNREACH: OFFLINE,
  ENETDOWN: OFFLINE,
  EADDRNOTAVAIL: OFFLINE,
  ETIMEDOUT: 'HOST does not answer',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  CERT_HAS_EXPIRED: "the certificate of HOST has expired, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "the certificate of HOST is not valid yet: is this machine's clock right?",
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of HOST is for another name',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
}

/** Why a connection failed or ended, in words that a person can act on. */
export function connectionFault(error: Fault, { uid, mqtt_url }: { uid: string; mqtt_url: string }): string {
  const where = new URL(mqtt_url).host
  const code = error.code ?? error.errors?.[0]?.code
  if (typeof code === 'number') {
    if (BAD_CREDENTIALS.includes(code)) {
      return `the server refuses ${uid}: it was unlinked, or its secret was renewed. Link it again`
    }
    return REFUSALS[code] ?? `the server refused the connection (CONNACK ${code})`
  }
  if (isUntrusted(code)) {
    return `the certificate of ${where} is not trusted (${code}): link with --ca and its authority's file, or name it in NODE_EXTRA_CA_CERTS`
  }
  return (code && CODES[code]?.replace('HOST', where)) || byMessage(error.message, where)
}

/** Whether this is the error code of a TLS certificate that no trusted authority signed. */
export function isUntrusted(code: string | undefined): boolean {
  return code !== undefined && UNTRUSTED.includes(code)
}

function byMessage(message: string, where: string): string {
  if (/connack timeout/i.test(message)) return `${where} accepted the connection but did not answer CONNECT`
  if (/keepalive timeout/i.test(message)) return 'the server stopped answering'
  const status = /unexpected server response: (\d+)/i.exec(message)?.[1]
  if (status) return `${where} answers ${status} to a WebSocket: is the path of the address right?`
  return message.replaceAll(/\s+/g, ' ') || 'the connection failed'
}
