import type { Logger } from 'pino'

/**
 * The events that an operator, or a program such as fail2ban, looks for in the log, by the value of the field `event`.
 */
const EVENTS = {
  'login.succeeded': { level: 'info', said: 'A user logged in' },
  'login.failed': { level: 'warn', said: 'A login failed' },
  'login.locked': { level: 'warn', said: 'A login was refused after too many failures' },
  'proof.failed': { level: 'warn', said: 'A password or code of a signed-in user was wrong' },
  'call.refused': { level: 'warn', said: 'A call was refused' },
  'link.accepted': { level: 'info', said: 'A device joined' },
  'link.refused': { level: 'warn', said: 'A link code was refused' },
  'export.begun': { level: 'info', said: 'An export of messages began' },
} as const satisfies Record<string, { level: 'info' | 'warn'; said: string }>

type SecurityEvent = keyof typeof EVENTS

/** Logs an event with its fields. These must not contain secrets or text that a stranger typed. */
export type SecurityLog = (
  event: SecurityEvent,
  fields: { address: string } & Record<string, unknown>,
) => void

const WINDOW_MS = 60_000
/** The most lines per minute about one event and one address … */
const MOST_LINES = 10
/** … and about one event from all addresses. */
const MOST_OF_EVENT = 300
/** How many addresses are remembered. */
const MOST_ADDRESSES = 2_000

type Lines = { since: number; said: number; unsaid: number }

/**
 * The log of security events, throttled so that a flood cannot fill the disk. The next line about the same event and
 * address counts the suppressed lines as `unsaid`. `now` is a monotonic clock in ms.
 */
export function openSecurityLog(
  log: Pick<Logger, 'info' | 'warn'>,
  now: () => number = () => performance.now(),
): SecurityLog {
  const ofEvents = new Map<string, Lines>()
  const ofAddresses = new Map<string, Lines>()

  function linesOf(known: Map<string, Lines>, name: string): Lines {
    const lines = known.get(name)
    if (lines && now() - lines.since < WINDOW_MS) return lines
    // New windows are added at the end, so the first one is the oldest.
    known.delete(name)
    if (known.size >= MOST_ADDRESSES) known.delete(known.keys().next().value!)
    const fresh = { since: now(), said: 0, unsaid: lines?.unsaid ?? 0 }
    known.set(name, fresh)
    return fresh
  }

  return (event, fields) => {
    const own = linesOf(ofAddresses, `${event} ${fields.address}`)
    const all = linesOf(ofEvents, event)
    if (own.said >= MOST_LINES || all.said >= MOST_OF_EVENT) {
      own.unsaid++
      return
    }
    const unsaid = own.unsaid || undefined
    own.said++
    all.said++
    own.unsaid = 0
    const { level, said } = EVENTS[event]
    log[level]({ event, ...fields, unsaid }, said)
  }
}
