import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorParams, type FieldCode, fieldParams } from '@sdd/contract/core/error-params.ts'
import type { ApiError, ErrorCode } from '@sdd/contract/core/errors.ts'
import { type Parsed, pathOf, type Route, type Schema, type Written } from '@sdd/contract/core/route.ts'
import { type Logger, pino } from 'pino'
import { startApp } from '#server/app/app.ts'
import type { PasswordCost } from '#server/accounts/passwords/passwords.ts'
import { readConfig } from '#server/core/config.ts'
import type { Clock } from '#server/core/clock.ts'
import { type AnsweredHeaders, ask } from './http.ts'
import { notePassword, proveIt } from './proving.ts'
import { engineSettings, forgetDatabase } from './engine.ts'

export const ADMIN = { username: 'superadmin', password: 'correct horse battery' }

/** Argon2's minimum: a test server hashes in microseconds, the product in 25 ms. */
const CHEAPEST: PasswordCost = { memory: 8, passes: 1, parallelism: 1 }

export type TestServer = Awaited<ReturnType<typeof startServer>>

/** A real server on free ports, with its own folder that is removed afterwards. */
export async function startServer({
  clock,
  folder,
  settings,
  freeBytes,
  ticks,
  log = pino({ level: 'silent' }),
  passwordCost = CHEAPEST,
}: {
  clock?: Clock
  folder?: string
  settings?: Record<string, string>
  /** The free space that the disk reports. */
  freeBytes?: () => Promise<number>
  /** The monotonic clock for following a PostgreSQL's clock. */
  ticks?: () => number
  log?: Logger
  passwordCost?: PasswordCost
} = {}) {
  const home = folder ?? mkdtempSync(join(tmpdir(), 'sdd-server-'))
  const config = readConfig(
    {
      PORT: '0',
      MQTT_PORT: '0',
      MQTTS_PORT: '0',
      DATA_DIR: home,
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      TZ: 'Europe/Madrid',
      ...(await engineSettings(home)),
      ...settings,
    },
    home,
  )
  const app = await startApp({
    config,
    log,
    passwordCost,
    // Whatever is due is looked at before the next message is handed over.
    rest_ms: 0,
    ...(clock && { clock }),
    ...(freeBytes && { freeBytes }),
    ...(ticks && { ticks }),
  })
  return {
    ...app,
    folder: home,
    mqtt_url: `mqtt://127.0.0.1:${app.mqtt_port}`,
    async stop() {
      await app.stop()
      if (folder !== undefined) return
      await forgetDatabase(home)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A success or a refusal: the test checks which before it reads the body. */
export type Answer<R extends Route> = {
  status: number
  headers: AnsweredHeaders
  body: R['reply'] extends Schema ? Parsed<R['reply']> & ApiError : ApiError
}

type Input<R extends Route> = {
  token?: string | undefined
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: Written<R['body']> | Record<string, unknown>
  /** The client address in the proxy's header. */
  address?: string
}

/**
 * Calls a route like a client of the contract. Asked for a proof of identity, it gives the password and calls again.
 */
export async function call<R extends Route>(
  server: { url: string },
  route: R,
  input: Input<R> = {},
): Promise<Answer<R>> {
  const answer = await callOnce(server, route, input)
  notePassword(route, input, answer)
  if (answer.body?.code !== 'proof_required') return answer
  return (await proveIt(server, input.token!)) ? callOnce(server, route, input) : answer
}

/** Every refusal has the facts that its code declares, and a code for each invalid field. */
function assertTelling({ code, params, fields, field_codes }: ApiError): void {
  assert.deepEqual(errorParams[code as ErrorCode].parse(params), params, code)
  assert.deepEqual(Object.keys(field_codes ?? {}), Object.keys(fields ?? {}), code)
  for (const [name, fault] of Object.entries(field_codes ?? {})) {
    assert.deepEqual(fieldParams[fault.code as FieldCode].parse(fault.params), fault.params, name)
  }
}

/** Calls a route once and returns the answer, even a request for a proof. */
export async function callOnce<R extends Route>(
  server: { url: string },
  route: R,
  { token, params, query, body, address }: Input<R> = {},
): Promise<Answer<R>> {
  const url = new URL(pathOf(route, params), server.url)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  const form = route.encoding === 'form'
  const answered = await ask(url, {
    method: route.method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(address !== undefined && { 'x-forwarded-for': address }),
      ...(body !== undefined && !form && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && {
      body: form ? new URLSearchParams(body as Record<string, string>) : JSON.stringify(body),
    }),
  })
  const { status, headers, text } = answered
  const json = headers.get('content-type')?.startsWith('application/json')
  const read: unknown = json ? JSON.parse(text) : text || undefined
  if (status >= 400 && json) assertTelling(read as ApiError)
  return { status, headers, body: read as Answer<R>['body'] }
}
