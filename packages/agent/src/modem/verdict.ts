import { type CmsKind, cmeError, cmsError } from '@sdd/sms/error-codes.ts'
import type { AtError } from '#agent/at/failure.ts'

/**
 * What a part that was not taken means. Beside the kinds of +CMS ERROR: `no_prompt` and `error_at_prompt`, where the
 * modem would not even take the PDU; `interrupted`, where the modem or its port was gone before Ctrl-Z.
 */
export type Verdict = {
  kind: CmsKind | 'no_prompt' | 'error_at_prompt' | 'interrupted'
  /** The code of +CMS or +CME, where there was one. */
  code: number | null
  /** For a person: what it means, and what the modem said. */
  detail: string
}

/**
 * Before Ctrl-Z nothing can be on air, whatever is said. After it only a clear refusal means that: a bare ERROR, a
 * text or a number that nobody knows, silence, a restart and an empty port leave it open.
 */
export function judge(error: AtError): Verdict {
  const { reason, failure, handed_over, message } = error
  if (reason !== 'refused' || !failure) {
    if (handed_over)
      return { kind: 'unknown_outcome', code: null, detail: `The modem left it open: ${message}` }
    const kind = reason === 'timeout' ? 'no_prompt' : 'interrupted'
    return { kind, code: null, detail: `The modem did not take it: ${message}` }
  }
  const { from, code, said } = failure
  const open = handed_over ? 'unknown_outcome' : 'error_at_prompt'
  if (from === 'modem' || code === null) return { kind: open, code, detail: `The modem said only ${said}` }
  // The PDU is right: it is the modem that has lost its head.
  if (code === 304) return { kind: 'once_more', code, detail: `The modem finds the PDU not valid (${said})` }
  const { kind, sentence } = from === 'cms' ? cmsError(code) : { ...cmeError(code), kind: kindOfCme(code) }
  const detail = `${sentence} (${said})`
  return { kind: kind === 'unknown_outcome' && !handed_over ? 'once_more' : kind, code, detail }
}

/** An equipment error in the place of a message error. */
function kindOfCme(code: number): CmsKind {
  if (code === 31) return 'unknown_outcome'
  const { kind } = cmeError(code)
  if (kind !== 'refused') return kind === 'sim' ? 'sim' : 'transient'
  // "The modem failed" and "does not know" say as little as CMS 300 and 500.
  if (code === 0 || code === 100) return 'unknown_outcome'
  return code < 100 ? 'once_more' : 'unknown_outcome'
}

/** +CMS codes that speak of the number, and those that speak of the SIM. */
const NUMBER_CODES = [1, 30, 195, 196]
const SIM_CODES = [8, 10, 21, 28, 29, 50, 193]

/** The code of a report about a message that is given up, and whether it is no use to try it again. */
export function failureOf({ kind, code }: Verdict): { code: string; block: boolean } {
  if (kind === 'unknown_outcome') return { code: 'unknown_outcome', block: false }
  if (kind === 'no_prompt') return { code: 'timeout', block: false }
  if (kind === 'transient') return { code: 'no_network', block: false }
  if (kind !== 'permanent') return { code: 'modem_error', block: false }
  if (code !== null && NUMBER_CODES.includes(code)) return { code: 'invalid_number', block: true }
  return { code: isOfSim(code) ? 'sim_barred' : 'refused', block: true }
}

/** Refusals that the next message meets as well. */
export function isOfSim(code: number | null): boolean {
  return code !== null && SIM_CODES.includes(code)
}

/** Makers' own codes, and 304 for a PDU that is right: signs of a modem that wants a restart, if they come in a row. */
export function isOdd(code: number | null): boolean {
  return code !== null && (code >= 512 || code === 304)
}
