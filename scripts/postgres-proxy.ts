import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** For tests: stands between a server and its PostgreSQL, and cuts the way at a moment of the test's choice. */
export type Proxy = {
  /** Of the same database, over this way. */
  url: string
  /** How often it was cut. */
  cuts: number
  /** The next packet with this text does not arrive (`lose`), or does, and no answer comes back (`hide`); then it is cut. */
  cutAt(text: string, what: 'lose' | 'hide'): void
  /** Nothing goes through either way, and nobody is told; until it is let through again, on new connections. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Long enough for PostgreSQL to do what it was told. */
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
