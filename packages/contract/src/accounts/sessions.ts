import * as z from 'zod/mini'
import { IdParam, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** One session of a logged-in user. */
export const OpenSession = z.object({
  id: z.int(),
  created_at: Instant,
  /** Accurate to 5 minutes. */
  last_used_at: Instant,
  /** When it ends if it is not used; at most 30 days after `created_at`. */
  expires_at: Instant,
  /** The client's address when it was opened, as the server saw it. */
  address: z.string(),
  /** The first 200 characters of the `User-Agent` when it was opened. */
  user_agent: z.string(),
  /** Whether it is the session of this call. */
  current: z.boolean(),
})
export type OpenSession = z.infer<typeof OpenSession>

/** By default the caller's own sessions. Admins may name another user whom they may change. */
const SessionsQuery = z.object({ user: z.optional(IdParam) })

export const listSessions = route('GET /api/sessions', {
  summary: 'Lists the open sessions of the caller, or of a user named by an admin, most recently used first.',
  query: SessionsQuery,
  reply: z.object({ sessions: z.array(OpenSession) }),
  errors: ['unknown_user'],
})

export const endSession = route('DELETE /api/sessions/:id', {
  summary: 'Ends a session of the caller, or of a user whom the caller may change.',
  params: z.object({ id: IdParam }),
  errors: ['unknown_session'],
})

export const endOtherSessions = route('POST /api/sessions/end-others', {
  summary: 'Ends all other sessions of the caller, or all sessions of a user named by an admin.',
  query: SessionsQuery,
  reply: z.object({ ended: z.int() }),
  errors: ['unknown_user'],
})
