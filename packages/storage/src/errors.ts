/** The folder, or the server behind the URL, cannot be used as a database. The message says why and what to do. */
export class Unusable extends Error {
  override readonly name = 'Unusable'
  readonly subject: 'folder' | 'url'

  constructor(subject: 'folder' | 'url', why: string) {
    super(why)
    this.subject = subject
  }
}

/** The message of an error. Several servers, and several addresses of one name, have an error each. */
export function reasonOf(error: Error & { errors?: Error[]; servers?: readonly string[] }): string {
  const { message, errors, servers } = error
  return servers?.join('; ') || message || errors?.map((each) => each.message).join('; ') || 'unknown reason'
}

/** Why nothing can be stored now: the disk is full, or the disk, the file or the server is unusable. */
export type Unavailable = {
  readonly code: 'disk_full' | 'not_ready'
  /** A sentence that a person can act on. */
  readonly detail: string
  readonly retry_after_secs?: number
}

/** Makes the error that callers get, of a type that the application recognizes. It has the same code. */
export type MakeError = (why: Unavailable) => Error & { readonly code: string }

const UNAVAILABLE = new Set<unknown>(['disk_full', 'not_ready'] satisfies Unavailable['code'][])

/** Whether an error is about all callers: nothing can be stored now, or it is not known whether it was. */
export function isUnavailable(error: unknown): boolean {
  return UNAVAILABLE.has((Object(error) as { code?: unknown }).code)
}
