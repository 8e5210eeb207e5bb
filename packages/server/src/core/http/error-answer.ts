import { type ApiError, errorStatus } from '@sdd/contract/core/errors.ts'
import { HttpError } from '@sdd/http/errors.ts'
import type { ErrorAnswer, Routed } from '@sdd/http/http-server.ts'
import type { Logger } from 'pino'
import { Refusal } from '#server/core/refusal.ts'
import { nameRequest, requestId, type ServedRoute } from './serve.ts'

/**
 * The only place that turns errors into responses: a `Refusal` becomes its entry in the contract's table, anything else
 * `internal`.
 */
export function openErrorAnswers(log: Pick<Logger, 'error'>) {
  return (error: unknown, { request, route }: Routed<ServedRoute>): ErrorAnswer => {
    const refusal = asRefusal(error) ?? internal(requestId(request))
    if (refusal.code === 'internal')
      log.error({ err: error, ...nameRequest({ request, route }) }, 'A request failed')
    const { code, message: detail, params, fields, field_codes, facts, retry_after_secs } = refusal
    const body: ApiError = { detail, code, params, fields, field_codes, ...facts }
    if (route?.errorsCarryStatus) body.status = detail
    const status = route?.errorStatuses?.[code] ?? errorStatus[code]
    const headers: Record<string, string> = {}
    if (status === 401) headers['www-authenticate'] = 'Bearer'
    if (retry_after_secs !== undefined) {
      headers['retry-after'] = String(Math.max(1, Math.ceil(retry_after_secs)))
    }
    return { status, headers, text: JSON.stringify(body) }
  }
}

/** The refusal behind an error of a request; `undefined` if the error is a defect. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (!(error instanceof HttpError)) return undefined
  const { code, message, retry_after_secs } = error
  const detail = code === 'not_found' ? 'Nothing is served here; /api/openapi.json lists what is.' : message
  return new Refusal(code, detail, retry_after_secs === undefined ? {} : { retry_after_secs })
}

function internal(request_id: string): Refusal {
  return new Refusal(
    'internal',
    `Something failed in the server. Try again; if it fails again, report request ${request_id} to the operator.`,
  )
}
