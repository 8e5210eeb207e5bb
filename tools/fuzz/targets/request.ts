import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@sdd/contract/app/api.ts'
import { ApiError } from '@sdd/contract/core/errors.ts'
import * as system from '@sdd/contract/core/system.ts'
import { pino } from 'pino'
import type { Caller } from '../../../packages/server/src/core/context.ts'
import { openHttp } from '../../../packages/server/src/core/http/http.ts'
import { sendRaw } from '../../../packages/http/src/testing.ts'
import { openMetrics } from '../../../packages/server/src/core/metrics.ts'
import { Refusal } from '../../../packages/server/src/core/refusal.ts'
import type { Target } from '../target.ts'

const TOKEN = 'sds_fuzz'
const caller: Caller = {
  user_id: 1,
  name: 'x',
  role: 'superadmin',
  company_id: 1,
  session_id: 1,
  proved_at: null,
  scope: 'all',
  duty: undefined,
  address: '127.0.0.1',
}
/** The possible answers to a user with all permissions when nothing exists. */
const ANSWERS = [200, 204, 400, 404, 405, 413, 414, 415, 422, 431]

let port: Promise<number> | undefined

/** The real HTTP side with every route of the contract, over empty handlers. */
async function open(): Promise<number> {
  const http = openHttp({
    config: { HOST: '127.0.0.1', PORT: 0 },
    console_folder: someConsole(),
    log: pino({ level: 'silent' }),
    metrics: openMetrics(),
    authenticate: async (token) => (token === TOKEN ? caller : undefined),
    readiness: () => ({ status: 'ready' }),
  })
  // The system routes are already served.
  const own: readonly unknown[] = Object.values(system)
  for (const route of routes.filter((route) => !own.includes(route)))
    http.serve(route, () => {
      throw new Refusal('not_found', 'There is nothing here.')
    })
  await http.listen()
  // It keeps no process alive.
  http.server.unref()
  return http.port()
}

/** A page, so that paths outside the API have an answer too. */
function someConsole(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-fuzz-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>')
  return folder
}

/**
 * A request with all permissions: the first byte names the method, the first line is the path, the rest is the body.
 * Whatever it is, the answer is in the contract, and never an internal error.
 */
export const request: Target = {
  name: 'request',
  package: 'server',
  seeds: routes.map((route, place) =>
    Buffer.from([
      place,
      ...Buffer.from(`${route.path.replaceAll(/:\w+/g, 'a')}?limit=5&company=2\n{"uid":"a","tasks":[]}`),
    ]),
  ),
  words: [
    '/api/',
    '/',
    '//',
    '/..',
    '%2e%2e',
    '%00',
    '%ff',
    '%',
    '?',
    '&',
    '=',
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    '\n',
    '{"constructor":1}',
    'toString=1',
    'a'.repeat(300),
  ],
  async check(input) {
    const { method, encoding } = routes[(input[0] ?? 0) % routes.length]!
    const end = input.indexOf('\n')
    const path = input.subarray(1, end < 0 ? undefined : Math.max(1, end))
    const body = end < 0 ? Buffer.alloc(0) : input.subarray(end + 1)
    const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
    const head = [
      `${method} /${inPath(path)} HTTP/1.1`,
      'Host: fuzz',
      `Authorization: Bearer ${TOKEN}`,
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
    ]
    const said = await sendRaw(
      await (port ??= open()),
      Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]),
    )
    judge(said)
  },
}

/** Escapes bytes that are invalid in a path, like a client. */
function inPath(path: Buffer): string {
  const escaped = Array.from(path, (byte) =>
    byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
  )
  return escaped.join('').replace(/^\//, '')
}

function judge(said: string): void {
  const [, status, headers = '', body = ''] =
    /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n([^]*?)\r\n\r\n([^]*)$/.exec(said) ?? []
  assert.ok(ANSWERS.includes(Number(status)), `it was answered with ${status}`)
  assert.doesNotMatch(body, /\.ts:\d|node_modules|select .* from/i, 'no answer reveals internals')
  if (Number(status) < 400) return
  assert.match(headers, /^content-type: application\/json/im)
  const json = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)
  assert.ok(ApiError.safeParse(JSON.parse(json)).success, body)
}
