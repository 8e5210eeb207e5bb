const STATUS = {
  malformed: 400,
  not_found: 404,
  too_large: 413,
  unsupported_media_type: 415,
  busy: 503,
} as const

type HttpErrorCode = keyof typeof STATUS

/** A request that cannot be served as written. The message is a sentence for the author of the client. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: HttpErrorCode
  readonly status: number
  readonly retry_after_secs: number | undefined

  constructor(code: HttpErrorCode, detail: string, more: { retry_after_secs?: number } = {}) {
    super(detail)
    this.code = code
    this.status = STATUS[code]
    this.retry_after_secs = more.retry_after_secs
  }

  /** `{"detail": "…", "code": "…", "params": {}}` */
  toJSON(): { detail: string; code: string; params: object } {
    return { detail: this.message, code: this.code, params: {} }
  }
}
