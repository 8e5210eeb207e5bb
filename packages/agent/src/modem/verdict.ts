import { type CmsKind, cmeError, cmsError } from '@sdd/sms/error-codes.ts'
import type { AtError } from '#agent/at/failure.ts'

/**
 * Why a part was not accepted. It adds to the kinds of +CMS ERROR: `no_prompt` and `error_at_prompt`, if the modem did
 * not even take the PDU; `interrupted`, if the modem or its port was gone before Ctrl-Z; `no_credit`, if the operator is
 * known to mean that.
 */
export type Verdict = {
  kind: CmsKind | 'no_prompt' | 'error_at_prompt' | 'interrupted' | 'no_credit'
  /** The code of +CMS or +CME, if there was one. */
  code: number | null
  /** For people: the meaning, and the modem's answer. */
  detail: string
  /** The network refused it: a code below 256 is the network's, not the modem's. */
  by_network?: boolean
}

/**
 * Before Ctrl-Z nothing can be on air, whatever the modem answers. After it, only a clear refusal proves that. A bare
 * ERROR, an unknown text or code, silence, a restart and a lost port leave the outcome open. `no_credit`: the codes by which
 * the operator says that the SIM has no credit.
 */
export function judge(error: AtError, no_credit: readonly number[] = []): Verdict {
  const { reason, failure, handed_over, message } = error
  if (reason !== 'refused' || !failure) {
    if (handed_over)
      return { kind: 'unknown_outcome', code: null, detail: `The modem left it open: ${message}` }
    const kind = reason === 'timeout' ? 'no_prompt' : 'interrupted'
    return { kind, code: null, detail: `The modem did not take it: ${message}` }
  }
  const { from, code, said } = failure
  if (from === 'cms' && (code === null ? SAYS_NO_CREDIT.test(said) : no_credit.includes(code)))
    return { kind: 'no_credit', code, detail: `The SIM has no credit (${said})` }
  const open = handed_over ? 'unknown_outcome' : 'error_at_prompt'
  if (from === 'modem' || code === null) return { kind: open, code, detail: `The modem said only ${said}` }
  // The PDU is valid, so the modem is in a bad state.
  if (code === 304) return { kind: 'once_more', code, detail: `The modem finds the PDU not valid (${said})` }
  const { kind, sentence } = from === 'cms' ? cmsError(code) : { ...cmeError(code), kind: kindOfCme(code) }
  const detail = `${sentence} (${said})`
  const by_network = from === 'cms' && code < 256
  return { kind: kind === 'unknown_outcome' && !handed_over ? 'once_more' : kind, code, detail, by_network }
}

/** No standard has a code for it. Some modems pass on the words of the network. */
const SAYS_NO_CREDIT = /\b(credit|balance|funds|saldo|cr[eé]dito)\b/i

/** An equipment error in place of a message error. */
function kindOfCme(code: number): CmsKind {
  if (code === 31) return 'unknown_outcome'
  const { kind } = cmeError(code)
  if (kind !== 'refused') return kind === 'sim' ? 'sim' : 'transient'
  // "The modem failed" and "does not know" say as little as CMS 300 and 500.
  if (code === 0 || code === 100) return 'unknown_outcome'
  return code < 100 ? 'once_more' : 'unknown_outcome'
}

/** +CMS codes about the number, and codes about the SIM. */
const NUMBER_CODES = [1, 30, 195, 196]
const SIM_CODES = [8, 10, 21, 28, 29, 50, 193]

/** The error code of a failed message, and whether a retry is useless. */
export function failureOf({ kind, code }: Verdict): { code: string; block: boolean } {
  if (kind === 'unknown_outcome') return { code: 'unknown_outcome', block: false }
  if (kind === 'no_prompt') return { code: 'timeout', block: false }
  if (kind === 'transient') return { code: 'no_network', block: false }
  if (kind === 'no_credit') return { code: 'no_credit', block: true }
  if (kind !== 'permanent') return { code: 'modem_error', block: false }
  if (code !== null && NUMBER_CODES.includes(code)) return { code: 'invalid_number', block: true }
  return { code: isOfSim(code) ? 'sim_barred' : 'refused', block: true }
}

/** Refusals that the next message would meet as well. */
export function isOfSim(code: number | null): boolean {
  return code !== null && SIM_CODES.includes(code)
}

/** Vendor codes, and 304 for a valid PDU: several in a row mean that the modem needs a restart. */
export function isOdd(code: number | null): boolean {
  return code !== null && (code >= 512 || code === 304)
}
