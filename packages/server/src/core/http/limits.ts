import { LIMITS as ENGINE } from '@sdd/http/limits.ts'

/** The limits of HTTP: those of the engine, and those of the API. */
export const LIMITS = {
  ...ENGINE,
  /** The body of a request, and that of a route without a session. */
  body_bytes: 1024 * 1024,
  stranger_body_bytes: 16 * 1024,
  /** Downloads under way: per user, and in total. */
  files_per_user: 4,
  files: 32,
}

export type Limits = Readonly<typeof LIMITS>
