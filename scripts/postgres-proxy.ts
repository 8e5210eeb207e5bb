import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** For tests: a proxy between a server and its PostgreSQL that cuts the connection when a test says so. */
export type Proxy = {
  /** The URL of the same database through this proxy. */
  url: string
  /** The number of cuts so far. */
  cuts: number
  /**
   * Cuts at the next packet with this text: it does not arrive (`lose`), or it arrives and its reply does not (`hide`).
   */
  cutAt(text: string, what: 'lose' | 'hide'): void
  /** Stops all traffic in both directions without closing a connection. After release, only new connections work. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Long enough for PostgreSQL to execute a statement. */
const DONE_MS = 300

export async function openProxy(url: string): Promise<Proxy> {
  const folder = new URL(url).searchParams.get('host')!
  const sockets = new Set<Socket>()
  let frozen = false
  let cut: { text: string; what: 'lose' | 'hide' } | undefined

  const server = createServer((client) => {
    const upstream = connect(`${folder}/.s.PGSQL.5432`)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    let hidden = false
    upstream.on('data', (bytes) => hidden || frozen || client.write(bytes))
    client.on('data', (bytes) => {
      if (frozen) return undefined
      if (cut === undefined || !bytes.includes(cut.text)) return upstream.write(bytes)
      const { what } = cut
      cut = undefined
      proxy.cuts++
      if (what === 'lose') return client.destroy()
      hidden = true
      upstream.write(bytes)
      return setTimeout(() => client.destroy(), DONE_MS)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const proxy: Proxy = {
    url: `postgres://postgres@127.0.0.1:${port}${new URL(url).pathname}`,
    cuts: 0,
    cutAt(text, what) {
      proxy.cuts = 0
      cut = { text, what }
    },
    freeze: () => (frozen = true),
    thaw() {
      frozen = false
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
