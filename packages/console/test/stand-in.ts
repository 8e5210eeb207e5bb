import { createReadStream, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { WebSocketServer, type WebSocket } from 'ws'

/** How lists are wrapped: not at all, under their own name, or under `data`. */
export type ListShape = 'bare' | 'named' | 'data'

export type Answer = {
  status?: number
  body?: unknown
  /** Sends these chunks as a file instead. If the iterable throws, the connection is cut. */
  csv?: AsyncIterable<string>
}
export type ReceivedCall = {
  method: string
  path: string
  query: URLSearchParams
  body: string
  token: string | undefined
}

export type StandIn = {
  url: string
  /** Every API call so far. */
  asked: ReceivedCall[]
  /** The answers by `METHOD /path`, with `*` for one part of the path. Tests change them at run time. */
  answers: Record<string, Answer | ((asked: ReceivedCall) => Answer | Promise<Answer>)>
  /** Answers everything with 502, as a proxy whose server is gone. */
  down: boolean
  /** The return code of the next CONNACKs. */
  connack: number
  /** The number of browsers whose live connection has its subscriptions. */
  listeners(): number
  publish(topic: string, payload: unknown): void
  /** Lets new live connections wait for their first answer until the returned function is called. */
  holdLive(): () => void
  /** Cuts every live connection. With `refuse`, new ones fail until the next call without it. */
  cut(refuse?: boolean): void
  stop(): Promise<void>
}

const DIST = join(import.meta.dirname, '../dist')

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

/** The content security policy that the server sets in production. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types service-worker',
].join('; ')

/** A server without a contract: it serves a build, the answers that a test gives it, and a live socket. */
export async function openStandIn(
  answers: StandIn['answers'],
  { port = 0, dist = DIST }: { port?: number | undefined; dist?: string | undefined } = {},
): Promise<StandIn> {
  // Without it each page would stay empty until its test's time is over.
  if (!existsSync(join(dist, 'index.html')))
    throw new Error(`There is no built console in ${dist}: run npm run build first`)
  let refuse = false
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'mqtt' })
  const server = createServer((request, response) => void respond(request, response))
  server.on('upgrade', (request, socket, head) => {
    if (refuse) return socket.destroy()
    sockets.handleUpgrade(request, socket, head, (client) => listen(client))
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in')
    if (standIn.down) return void response.writeHead(502).end('Bad gateway')
    if (!pathname.startsWith('/api/')) return sendFile(dist, pathname, response)
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const method = request.method ?? 'GET'
    const token = request.headers.authorization?.replace('Bearer ', '')
    const asked = { method, path: decodeURIComponent(pathname), query: searchParams, body, token }
    standIn.asked.push(asked)
    const given = standIn.answers[keyOf(standIn.answers, asked) ?? '']
    const answer = (typeof given === 'function' ? await given(asked) : given) ?? { status: 404 }
    const { status = 200, body: reply, csv } = answer
    if (csv) return sendPieces(csv, response)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(reply === undefined ? undefined : JSON.stringify(reply))
  }

  const subscribed = new Set<WebSocket>()
  let held: Promise<void> | undefined
  function listen(client: WebSocket): void {
    client.on('message', (data: Buffer) => {
      const kind = (data[0] ?? 0) >> 4
      if (kind === 1 && held) void held.then(() => client.send(Buffer.of(0x20, 2, 0, standIn.connack)))
      else if (kind === 1) client.send(Buffer.of(0x20, 2, 0, standIn.connack))
      if (kind === 8) {
        client.send(Buffer.of(0x90, 4, data[2] ?? 0, data[3] ?? 0, 0, 0))
        subscribed.add(client)
        client.on('close', () => subscribed.delete(client))
      }
      if (kind === 12) client.send(Buffer.of(0xd0, 0))
    })
  }

  const standIn: StandIn = {
    url: '',
    asked: [],
    answers,
    down: false,
    connack: 0,
    listeners: () => subscribed.size,
    publish(topic, payload) {
      const bytes = publishPacket(topic, typeof payload === 'string' ? payload : JSON.stringify(payload))
      for (const client of sockets.clients) client.send(bytes)
    },
    holdLive() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    cut(refusing = false) {
      refuse = refusing
      for (const client of sockets.clients) client.terminate()
    },
    async stop() {
      standIn.cut(true)
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return standIn
}

/** A list in one of the shapes that the user specification allows. */
export function wrapList(shape: ListShape, name: string, rows: readonly unknown[]): unknown {
  if (shape === 'bare') return rows
  return { [shape === 'named' ? name : 'data']: rows }
}

function publishPacket(topic: string, payload: string): Buffer {
  const name = Buffer.from(topic)
  const text = Buffer.from(payload)
  const length = 2 + name.length + text.length
  const digits: number[] = []
  for (let rest = length; ; rest >>= 7) {
    digits.push(rest > 127 ? (rest & 127) | 128 : rest)
    if (rest <= 127) break
  }
  return Buffer.concat([Buffer.of(0x30, ...digits, name.length >> 8, name.length & 0xff), name, text])
}

function keyOf(answers: StandIn['answers'], { method, path }: ReceivedCall): string | undefined {
  const exact = `${method} ${path}`
  if (exact in answers) return exact
  return Object.keys(answers).find((key) => {
    const pattern = key.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]+')
    return new RegExp(`^${pattern}$`).test(exact)
  })
}

async function sendPieces(pieces: AsyncIterable<string>, response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="logs-2026-11-20.csv"',
  })
  try {
    for await (const piece of pieces) response.write(piece)
    response.end()
  } catch {
    response.destroy()
  }
}

function sendFile(dist: string, pathname: string, response: ServerResponse): void {
  const path = join(dist, normalize(pathname))
  const isFile = extname(path) !== '' && path.startsWith(dist) && existsSync(path)
  const file = isFile ? path : join(dist, 'index.html')
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'cache-control': pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  createReadStream(file).pipe(response)
}
