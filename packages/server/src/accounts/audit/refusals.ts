import type { ForbiddenCall } from '#server/core/http/serve.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { AuditBatch } from './batch.ts'
import { MOST_OF_A_KIND } from './bursts.ts'

/** The most audit entries about refused calls of one session within a minute, the gathering entry included. */
const MOST_ENTRIES = 10

/**
 * Records a call that was answered with 403 in the security log. Adds an audit entry if a signed-in user tried to
 * change something, or must prove their identity first.
 */
export function openRefusals({
  gathering,
  securityLog,
}: {
  gathering: AuditBatch
  securityLog: SecurityLog
}) {
  return async ({ caller, address, route: { method, path }, code }: ForbiddenCall): Promise<void> => {
    // This refusal has a line of its own, `link.refused`.
    if (code === 'link_code_refused') return
    const who =
      caller && ('user_id' in caller ? { user_id: caller.user_id } : { api_key_id: caller.api_key_id })
    securityLog('call.refused', { address, ...who, method, route: path, code })
    if (!caller || !('user_id' in caller) || method === 'GET' || !RECORDED.has(code)) return
    const { company_id, session_id } = caller
    const action = 'call.refused'
    const change = {
      company_id,
      action,
      name: `${method} ${path}`,
      changes: { code: { from: null, to: code } },
    } as const
    await gathering.note(caller, change, {
      kind: 'refused calls of session',
      of: String(session_id),
      most: MOST_ENTRIES,
      most_of_kind: MOST_OF_A_KIND,
      what: `${code} ${method} ${path}`,
      rest: { by: caller, change: { company_id, action, name: null } },
    })
  }
}

const RECORDED: ReadonlySet<string> = new Set(['forbidden', 'proof_required'])
