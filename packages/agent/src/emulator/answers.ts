import { CME_TEXTS, CMS_TEXTS } from '#agent/at/error-texts.ts'
import type { Machine } from './machine.ts'

/**
 * The answer to a command: its lines and OK, or `says` in place of the OK. With `says: null` nothing ends the answer.
 */
export type Answer = { lines?: string[]; says?: string | null }

export const OK: Answer = {}

/** `+CME ERROR` or `+CMS ERROR` in this modem's dialect and AT+CMEE mode. */
export function refusal({ settings, dialect }: Machine, from: 'CME' | 'CMS', code: number): Answer {
  // 27.007 section 9.1: without AT+CMEE=1 an equipment error is a bare ERROR.
  if (from === 'CME' && settings.cmee === 0) return { says: 'ERROR' }
  const text = (from === 'CME' ? CME_TEXTS : CMS_TEXTS)[code] ?? String(code)
  const shown = { codes: String(code), texts: text, blank: '' }[dialect.errors]
  return { says: `+${from} ERROR: ${shown}` }
}

/** The refusal if the SIM is not ready; undefined if it is. */
export function simFault(machine: Machine): Answer | undefined {
  const { sim, dialect, clock, running_since = 0 } = machine
  if (!sim.present) return refusal(machine, 'CME', 10)
  if (!machine.unlocked) return refusal(machine, 'CME', sim.pin_tries > 0 ? 11 : 12)
  if (clock.uptime() - running_since < dialect.sim_busy_ms)
    return refusal(machine, 'CME', dialect.sim_busy_code)
  return undefined
}
