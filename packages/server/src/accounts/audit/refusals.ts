import type { ForbiddenCall } from '#server/core/http/serve.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Gathering } from './gathering.ts'

/** Entries about refused calls of one session within a minute, the first aside. */
const MOST_ENTRIES = 10

/**
 * Notes that a call was answered 403: in the log, and where a signed-in user wanted to change something, or has to prove
 * who they are first, in the audit log too.
 */
export function openRefusals({ gathering, securityLog }: { gathering: Gathering; securityLog: SecurityLog }) {
  return async ({ caller, address, route: { method, path }, code }: ForbiddenCall): Promise<void> => {
    // It has a line of its own, `link.refused`.
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
      what: `${code} ${method} ${path}`,
      rest: { by: caller, change: { company_id, action, name: null } },
    })
  }
}

const RECORDED: ReadonlySet<string> = new Set(['forbidden', 'proof_required'])
