import { LIMITS as ENGINE } from '@sdd/http/limits.ts'

/** Where HTTP is refused or cut: the limits of the engine, and those of the API. */
export const LIMITS = {
  ...ENGINE,
  /** A body, and one of a route that wants no session. */
  body_bytes: 1024 * 1024,
  stranger_body_bytes: 16 * 1024,
  /** Files that are being sent: to one user, and in all. */
  files_per_user: 4,
  files: 32,
}

export type Limits = Readonly<typeof LIMITS>
