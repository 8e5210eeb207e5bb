import type { Logger } from 'pino'

/** What an operator, or a program such as fail2ban, wants to see in the log, by the word of its field `event`. */
const EVENTS = {
  'login.succeeded': { level: 'info', said: 'A user logged in' },
  'login.failed': { level: 'warn', said: 'A login failed' },
  'login.locked': { level: 'warn', said: 'A login was refused after too many failures' },
  'proof.failed': { level: 'warn', said: 'A password or code of a signed-in user was wrong' },
  'call.refused': { level: 'warn', said: 'A call was refused' },
  'link.accepted': { level: 'info', said: 'A device joined' },
  'link.refused': { level: 'warn', said: 'A link code was refused' },
  'export.begun': { level: 'info', said: 'An export of the log began' },
} as const satisfies Record<string, { level: 'info' | 'warn'; said: string }>

export type SecurityEvent = keyof typeof EVENTS

/** Logs an event with its fields: never a secret, nor what a stranger typed. */
export type SecurityLog = (
  event: SecurityEvent,
  fields: { address: string } & Record<string, unknown>,
) => void

const WINDOW_MS = 60_000
/** Lines about one event and one address within a minute … */
const MOST_LINES = 10
/** … and about one event, whatever the addresses. */
const MOST_OF_EVENT = 300
/** Addresses that are remembered. */
const MOST_ADDRESSES = 2_000

type Lines = { since: number; said: number; unsaid: number }

/**
 * The log of what concerns security, throttled: a flood must not fill the disk. The next line of the same event and
 * address says how many were left `unsaid`. `now` is a clock in ms that never goes back.
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
    // The oldest goes first: a new window goes to the end.
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
