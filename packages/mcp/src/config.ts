import { type Access, type Environment, readAccess, UsageError } from '@sdd/client/config.ts'

/** `confirmed`: a person agrees to each SMS. `off`: it only drafts. `unconfirmed`: the assistant sends by itself. */
export type Sending = 'confirmed' | 'off' | 'unconfirmed'

const SENDINGS: readonly string[] = ['confirmed', 'off', 'unconfirmed'] satisfies Sending[]

/** The settings of the server for assistants. Throws a `UsageError` that names the wrong variable. */
export function readConfig(env: Environment = process.env): { access: Access; sending: Sending } {
  const sending = env.SDD_MCP_SENDING ?? 'confirmed'
  if (!SENDINGS.includes(sending)) throw new UsageError(`SDD_MCP_SENDING is ${SENDINGS.join(', ')}`)
  return { access: readAccess(env), sending: sending as Sending }
}
