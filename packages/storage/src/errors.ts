/** The folder, or the server behind the URL, cannot be used as a database. The message says why and what to do. */
export class Unusable extends Error {
  override readonly name = 'Unusable'
  readonly subject: 'folder' | 'url'

  constructor(subject: 'folder' | 'url', why: string) {
    super(why)
    this.subject = subject
  }
}

/** Why nothing can be stored now: the disk is full, or the disk, the file or the server is unusable. */
export type Unavailable = {
  readonly code: 'disk_full' | 'not_ready'
  /** A sentence that a person can act on. */
  readonly detail: string
  readonly retry_after_secs?: number
}

/** Makes the error that callers get, of a type that the application recognizes. */
export type MakeError = (why: Unavailable) => Error
