/** The address of an external broker, with the server's credentials there. */
export type BrokerAddress = {
  readonly url: string
  /** The certificate authorities that vouch for the broker, in PEM. Default: those of Node. */
  readonly ca?: Buffer | undefined
}

export type AddressParts = {
  readonly protocol: 'mqtt' | 'mqtts'
  readonly hostname: string
  readonly port: number
  readonly username: string | undefined
  readonly password: string | undefined
}

const PORTS = { mqtt: 1883, mqtts: 8883 } as const

/** Parses `mqtt://user:password@host:port`; `undefined` for any other address. */
export function addressParts(text: string): AddressParts | undefined {
  const url = URL.parse(text)
  const protocol = url?.protocol.slice(0, -1)
  if (!url || (protocol !== 'mqtt' && protocol !== 'mqtts') || url.hostname === '') return undefined
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return undefined
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === undefined || password === undefined) return undefined
  return {
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''), // the brackets of an IPv6 address
    port: Number(url.port) || PORTS[protocol],
    username: username || undefined,
    password: password || undefined,
  }
}

/** The address without user and password, for display. */
export function withoutCredentials(text: string): string {
  const url = new URL(text)
  return `${url.protocol}//${url.host}`
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
