import type { IncomingMessage } from 'node:http'
import { errorStatus } from '@sdd/contract/core/errors.ts'
import type { ApiError } from '@sdd/contract/core/errors.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Refusal } from '#server/core/refusal.ts'
import { JSON_TYPE } from './json.ts'
import { nameOf, type Named, requestId } from './named.ts'

/** What an error is answered with, and the headers beyond those of every answer. */
export type AnswerError = (
  error: unknown,
  request: IncomingMessage,
  named: Named,
  route: Pick<Route, 'errorsCarryStatus'> | undefined,
) => { status: number; headers: Record<string, string>; text: string }

/** The one place that words errors: a `Refusal` as the contract's table has it, anything else as `internal`. */
export function openAnswerError(log: Pick<Logger, 'error'>): AnswerError {
  return (error, request, named, route) => {
    const refusal = asRefusal(error) ?? internal(requestId(request))
    if (refusal.code === 'internal') {
      log.error({ err: error, request_id: requestId(request), ...named }, 'A request failed')
    }
    const { code, message: detail, fields, companies, retry_after_secs } = refusal
    const body: ApiError = { detail, code, fields, companies: companies && [...companies] }
    if (route?.errorsCarryStatus) body.status = detail
    const status = errorStatus[code]
    const headers: Record<string, string> = {}
    if (status === 401) headers['www-authenticate'] = 'Bearer'
    if (retry_after_secs !== undefined) {
      headers['retry-after'] = String(Math.max(1, Math.ceil(retry_after_secs)))
    }
    return { status, headers, text: JSON.stringify(body) }
  }
}

/** Answers an error to a request that the framework has. */
export function openRefuse(answerError: AnswerError) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = answerError(error, request.raw, nameOf(request), request.routeOptions.config.contract)
    reply.headers(answer.headers).code(answer.status).type(JSON_TYPE).send(answer.text)
  }
}

export function nothingHere(): Refusal {
  return new Refusal('not_found', 'Nothing is served here; /api/openapi.json lists what is.')
}

function internal(request_id: string): Refusal {
  return new Refusal(
    'internal',
    `Something failed in the server. Try again; if it fails again, tell the operator that it was request ${request_id}.`,
  )
}

/** The framework's own errors are about how a request is written. */
function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const { code, statusCode = 500 } = Object(error) as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Refusal('unsupported_media_type', 'The content type is not valid.')
  }
  if (statusCode === 403 || statusCode === 404) return nothingHere()
  if (code?.startsWith('FST_') && statusCode < 500)
    return new Refusal('malformed', 'The request is malformed.')
  return undefined
}
