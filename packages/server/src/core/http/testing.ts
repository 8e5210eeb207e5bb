import { PassThrough } from 'node:stream'
import type { TestContext } from 'node:test'
import { sendRaw } from '@sdd/http/testing.ts'
import type { SignedIn } from '#server/core/context.ts'
import { openLog } from '#server/core/log.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { openHttp } from './http.ts'
import type { Serve } from './serve.ts'

/** The sessions of these tests, by token. */
export const callers: Record<string, SignedIn> = Object.fromEntries(
  (['user', 'admin', 'superadmin'] as const).map((role, index) => [
    `${role}-token`,
    {
      user_id: index + 1,
      name: role,
      role,
      company_id: 1,
      session_id: index + 10,
      proved_at: null,
      scope: { company_id: 1 },
      duty: undefined,
    },
  ]),
)

type Given = Partial<Parameters<typeof openHttp>[0]>

/** Starts a server with these routes on a free port. It stops when the test ends. */
export async function startHttp(
  t: Pick<TestContext, 'after'>,
  routes: (serve: Serve) => void,
  given: Given = {},
) {
  const out = new PassThrough()
  let logged = ''
  out.on('data', (bytes) => (logged += String(bytes)))
  const http = openHttp({
    config: { HOST: '127.0.0.1', PORT: 0 },
    console_folder: '/nowhere',
    log: openLog('debug', out),
    metrics: openMetrics(),
    authenticate: async (token) => callers[token],
    readiness: () => ({ status: 'ready' }),
    ...given,
  })
  routes(http.serve)
  t.after(() => http.stop())
  await http.listen()
  const url = http.url()
  return {
    http,
    url,
    /** Everything logged so far. */
    logged: () => logged,
    /** Sends raw bytes. Resolves to everything received until the connection ends. */
    raw: (bytes: string | Buffer) => sendRaw(http.port(), bytes),
  }
}
