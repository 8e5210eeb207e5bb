/** The result of one try. `failed` is tried again, `status` is the response's, and `error` is one sentence. */
export type Outcome = {
  result: 'delivered' | 'failed' | 'dead'
  status: number | null
  error: string | null
}

/** The error of callbacks that were given up with their webhook. */
export const WEBHOOK_REMOVED = 'The webhook was removed.'

/** The outcome by status: 2xx is delivered, 410 wants no further ones, and anything else is tried again. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { result: 'delivered', status, error: null }
  if (status === 410) return { result: 'dead', status, error: 'It answered 410 Gone: it wants no more.' }
  const redirects = status >= 300 && status < 400
  const error = redirects
    ? `It answered ${status}: redirects are not followed, give the address itself.`
    : null
  return { result: 'failed', status, error }
}

/** The outcome without a response: why there was none, in words for the operator of the receiver. */
export function unreached({ code = '', message = '' }: { code?: string; message?: string }): Outcome {
  return { result: 'failed', status: null, error: sentenceOf(code, message) }
}

function sentenceOf(code: string, message: string): string {
  if (code === 'ECONNREFUSED') return 'The connection was refused.'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'It closed the connection before it answered.'
  if (/CERT|UNABLE_TO|ALTNAME/.test(code)) return `Its certificate is not trusted (${code}).`
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return `It does not speak TLS as it should (${code}).`
  if (code.startsWith('HPE_')) return `Its answer is not HTTP (${code}).`
  return `It could not be reached (${code || message.slice(0, 100)}).`
}
