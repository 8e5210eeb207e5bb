import { holds, keyPermissions, type Permission } from '@sdd/contract/roles.ts'
import type { Route } from '@sdd/contract/route.ts'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { readBody } from './body.ts'
import { readPairs } from './pairs.ts'

/** Whose session or API key the token is; `undefined` where it is none, or no more. */
export type Authenticate = (token: string) => Promise<Caller | KeyCaller | undefined>

/**
 * What the request asks of the route, checked in this order: who asks (`unauthorized`), whether the role or
 * the key may (`forbidden`), how the body is written, what the parts say (`invalid`, every field at once). Who may not ask learns
 * nothing of the rest, and their body is not read.
 */
export async function readAsked(route: Route, request: FastifyRequest, authenticate: Authenticate) {
  const caller = route.may === 'anyone' ? undefined : await readCaller(route, request, authenticate)
  const { raw } = request
  const parts = {
    params: readParams(request.params as Record<string, string>),
    query: route.query && readPairs(raw.url?.split('?', 2)[1] ?? ''),
    body: route.body && (await readBody(raw, route.encoding)),
  }
  return {
    ...parseParts(route, parts),
    caller,
    address: (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    host: URL.parse(`http://${raw.headers.host ?? ''}`)?.hostname ?? raw.socket.localAddress ?? '',
  }
}

async function readCaller(
  route: Route,
  request: FastifyRequest,
  authenticate: Authenticate,
): Promise<Caller | KeyCaller> {
  const [, token = ''] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.authorization ?? '') ?? []
  const caller = token === '' ? undefined : await authenticate(token)
  if (!caller) {
    throw new Refusal(
      'unauthorized',
      token.startsWith('sdk_')
        ? 'This API key is unknown, revoked or has expired: make a new one in Settings.'
        : 'There is no session, or it has ended: log in again.',
    )
  }
  const refused = whyNot(caller, route.may)
  if (refused !== undefined) throw new Refusal('forbidden', refused)
  return caller
}

/** Why the caller lacks the permission; `undefined` where it holds it. */
function whyNot(caller: Caller | KeyCaller, permission: Permission): string | undefined {
  if ('role' in caller) {
    if (holds(caller.role, permission)) return undefined
    return `The role ${caller.role} may not do this: ask an administrator.`
  }
  if ((caller.may as readonly Permission[]).includes(permission)) return undefined
  return (keyPermissions as readonly Permission[]).includes(permission)
    ? `The API key ${caller.name} may do ${caller.may.join(', ')} alone: this wants one with ${permission}.`
    : 'An API key opens the routes of external tasks alone: this wants a user who is logged in.'
}

function readParams(params: Record<string, string>): Record<string, string> {
  // PostgreSQL has no text with a NUL in it, so nothing of ours can have such a name.
  if (Object.values(params).some((value) => value.includes('\0'))) {
    throw new Refusal('malformed', 'The path holds a NUL.')
  }
  return params
}

type Parts = Record<'params' | 'query' | 'body', unknown>

function parseParts(route: Route, parts: Parts): Parts {
  const fields: Record<string, string> = {}
  const parse = (part: keyof Parts): unknown => {
    const error = part === 'query' || route.encoding === 'form' ? explainPair : explain
    const parsed = route[part]?.safeParse(parts[part], { error })
    for (const { path, message } of parsed?.error?.issues ?? []) fields[path.join('.') || part] ??= message
    return parsed?.data
  }
  const values = { params: parse('params'), query: parse('query'), body: parse('body') }
  const reasons = Object.entries(fields).map(([name, why]) => `${name}: ${why}`)
  if (reasons.length === 0) return values
  const shown = reasons.length > 5 ? [...reasons.slice(0, 5), 'and more'] : reasons
  throw new Refusal('invalid', `What was sent is not valid. ${shown.join('; ')}.`, { fields })
}

type Explain = z.core.$ZodErrorMap

/** Why a field is invalid, where its schema has no words of its own; zod's are for the rest. */
const explain: Explain = (issue) => (issue.input === undefined ? 'is required' : undefined)

const explainPair: Explain = (issue) =>
  Array.isArray(issue.input) ? 'is given more than once' : explain(issue)

z.config(z.locales.en())
