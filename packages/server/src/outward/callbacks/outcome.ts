import { readSentence, sentence } from '#server/core/sentence.ts'
import { NOT_LISTED, NOT_PUBLIC } from './addresses.ts'

/** The result of one try. `failed` is tried again, `status` is the response's, and `error` is one sentence. */
export type Outcome = {
  result: 'delivered' | 'failed' | 'dead'
  status: number | null
  error: string | null
  /** The text of a whole answer that was asked for. */
  answer?: string
}

/** Why a callback did not arrive, as `last_error` stores it. */
export const troubles = {
  gone: sentence('It answered 410 Gone: it wants no more.'),
  redirect: sentence('It answered {status}: redirects are not followed, give the address itself.'),
  refused: sentence('The connection was refused.'),
  closed: sentence('It closed the connection before it answered.'),
  bad_certificate: sentence('Its certificate is not trusted ({reason}).'),
  bad_tls: sentence('It does not speak TLS as it should ({reason}).'),
  not_http: sentence('Its answer is not HTTP ({reason}).'),
  unreachable: sentence('It could not be reached ({reason}).'),
  late: sentence('It did not answer within {secs} s.'),
  not_public: sentence(`{host} ${NOT_PUBLIC}.`),
  not_listed: sentence(`{host} ${NOT_LISTED}.`),
  no_address: sentence('{host} has no address now ({reason}).'),
  slow_name: sentence('{host} is slow.'),
  webhook_removed: sentence('The webhook was removed.'),
  no_secret: sentence('No API key handed the task in, so there is no secret to sign it with.'),
  answer_not_sent: sentence('The answer could not be sent as an SMS now.'),
  not_tried: sentence('The server could not try it.'),
}

/** The fields of a callback that say why its last try failed. */
export function lastErrorFieldsOf(last_error: string | null) {
  if (last_error === null) return { last_error, last_error_code: null, last_error_params: null }
  const found = readSentence(troubles, last_error)
  const { code, params } = found ?? ({ code: 'other', params: { text: last_error } } as const)
  return { last_error, last_error_code: code, last_error_params: params }
}

/** The error of callbacks that were given up with their webhook. */
export const WEBHOOK_REMOVED = troubles.webhook_removed.write({})

/** The outcome by status: 2xx is delivered, 410 wants no further ones, and anything else is tried again. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { result: 'delivered', status, error: null }
  if (status === 410) return { result: 'dead', status, error: troubles.gone.write({}) }
  const redirects = status >= 300 && status < 400
  const error = redirects ? troubles.redirect.write({ status }) : null
  return { result: 'failed', status, error }
}

/** The outcome without a response: why there was none, in words for the operator of the receiver. */
export function unreached({ code = '', message = '' }: { code?: string; message?: string }): Outcome {
  return { result: 'failed', status: null, error: sentenceOf(code, message) }
}

function sentenceOf(code: string, message: string): string {
  const reason = code
  if (code === 'ECONNREFUSED') return troubles.refused.write({})
  if (code === 'ECONNRESET' || code === 'EPIPE') return troubles.closed.write({})
  if (/CERT|UNABLE_TO|ALTNAME/.test(code)) return troubles.bad_certificate.write({ reason })
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return troubles.bad_tls.write({ reason })
  if (code.startsWith('HPE_')) return troubles.not_http.write({ reason })
  return troubles.unreachable.write({ reason: code || message.slice(0, 100) })
}
