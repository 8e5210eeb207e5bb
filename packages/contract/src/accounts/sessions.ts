import * as z from 'zod/mini'
import { IdParam, Instant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'

/** Somebody is logged in somewhere. */
export const OpenSession = z.object({
  id: z.int(),
  created_at: Instant,
  /** To 5 minutes. */
  last_used_at: Instant,
  /** When it ends unless it is used; 30 days after `created_at` in any case. */
  expires_at: Instant,
  /** From where it was opened: the address that reached the server. */
  address: z.string(),
  /** What the browser or program called itself then, its first 200 characters. */
  user_agent: z.string(),
  /** Whether it is the session of this call. */
  current: z.boolean(),
})
export type OpenSession = z.infer<typeof OpenSession>

/** Whose: the caller's own where nobody is named; another's is for admins, as far as they may change that user. */
const WhoseSessions = z.object({ user: z.optional(IdParam) })

export const listSessions = route('GET /api/sessions', {
  summary: "The caller's open sessions, or those of the user that an admin names; the latest used first.",
  query: WhoseSessions,
  reply: z.object({ sessions: z.array(OpenSession) }),
  errors: ['unknown_user'],
})

export const endSession = route('DELETE /api/sessions/:id', {
  summary: 'Ends a session at once: one of the caller, or of a user whom the caller may change.',
  params: z.object({ id: IdParam }),
  errors: ['unknown_session'],
})

export const endOtherSessions = route('POST /api/sessions/end-others', {
  summary: 'Ends every session of the caller but this one, or all of the user that an admin names.',
  query: WhoseSessions,
  reply: z.object({ ended: z.int() }),
  errors: ['unknown_user'],
})
