import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { type Answering, type HttpServer, openHttpServer } from './http-server.ts'
import type { ConnectionFault } from './node-server.ts'
import type { RouteKey } from './router.ts'

type Needs = NonNullable<Parameters<typeof openHttpServer<RouteKey>>[0]>

/** A server on a free port that stops when the test ends. Routes are named `GET /path`. */
export async function startHttpServer(
  t: Pick<TestContext, 'after'>,
  routes: Record<string, Answering> | ((http: HttpServer<RouteKey>) => Record<string, Answering>),
  needs: Needs = {},
) {
  const faults: ConnectionFault[] = []
  const http = openHttpServer({ onFault: (why) => void faults.push(why), ...needs })
  for (const [key, answering] of Object.entries(typeof routes === 'function' ? routes(http) : routes)) {
    const [method, path] = key.split(' ') as [string, string]
    http.serve({ method, path }, answering)
  }
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => http.stop())
  return {
    http,
    port,
    url: `${needs.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    /** How many connections were refused or cut for this reason. */
    faulty: (why: ConnectionFault) => faults.filter((other) => other === why).length,
    /** Sends raw bytes; resolves to everything received until the connection ends. */
    raw: (bytes: string | Buffer) => sendRaw(port, bytes),
  }
}

/**
 * Sends raw bytes; resolves to everything received until the connection ends. With `end`, the client half-closes after
 * sending.
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  { end = false }: { end?: boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: end }, () => {
      socket.write(bytes)
      if (end) socket.end()
    })
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}
