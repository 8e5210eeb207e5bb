import { errorStatus } from '@sdd/contract/errors.ts'
import type { ApiError } from '@sdd/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Refusal } from '#server/core/refusal.ts'
import { JSON_TYPE } from './json.ts'

/** The one place that answers errors: a `Refusal` as the contract's table has it, anything else as `internal`. */
export function openRefuse(log: Pick<Logger, 'error'>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = asRefusal(error) ?? internal(request.id)
    if (refusal.code === 'internal') {
      log.error({ err: error, request_id: request.id, ...nameOf(request) }, 'A request failed')
    }
    const { code, message: detail, fields, retry_after_secs } = refusal
    const body: ApiError = { detail, code, fields }
    if (request.routeOptions.config.contract?.errorsCarryStatus) body.status = detail
    const status = errorStatus[code]
    if (status === 401) reply.header('www-authenticate', 'Bearer')
    if (retry_after_secs !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retry_after_secs)))
    reply.code(status).type(JSON_TYPE).send(JSON.stringify(body))
  }
}

/** Method and pattern of a request, as figures and log lines name it: never the path itself or a query. */
export function nameOf(request: FastifyRequest): { method: string; route: string } {
  return { method: request.method, route: request.routeOptions.url ?? 'none' }
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
