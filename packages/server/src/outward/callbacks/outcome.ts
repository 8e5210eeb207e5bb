/** What one try came to. `failed` is tried again; `status` is that of the answer, `error` one sentence. */
export type Outcome = {
  result: 'delivered' | 'failed' | 'dead'
  status: number | null
  error: string | null
}

/** Said of what was given up with its webhook. */
export const WEBHOOK_REMOVED = 'The webhook was removed.'

/** What an answer says by its status: 2xx has taken it, 410 wants no more, anything else may take it another time. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { result: 'delivered', status, error: null }
  if (status === 410) return { result: 'dead', status, error: 'It answered 410 Gone: it wants no more.' }
  const redirects = status >= 300 && status < 400
  const error = redirects
    ? `It answered ${status}: redirects are not followed, give the address itself.`
    : null
  return { result: 'failed', status, error }
}

/** No answer came: why not, in words for the one who runs the receiver. */
export function unreached({ code = '', message = '' }: { code?: string; message?: string }): Outcome {
  return { result: 'failed', status: null, error: sentenceOf(code, message) }
}

function sentenceOf(code: string, message: string): string {
  if (code === 'ECONNREFUSED') return 'The connection was refused.'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'It closed the connection before it answered.'
  if (/CERT|UNABLE_TO|ALTNAME/.test(code)) return `Its certificate is not trusted (${code}).`
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return `It does not speak TLS as it should (${code}).`
  if (code.startsWith('HPE_')) return `What it answered is not HTTP (${code}).`
  return `It could not be reached (${code || message.slice(0, 100)}).`
}
