import { codeOfText } from './error-texts.ts'

/** What a modem says in place of OK. */
export type Failure = {
  /** `cms`: of the message service; `cme`: of the equipment; `modem`: a bare ERROR, or a vendor's own word for it. */
  from: 'cms' | 'cme' | 'modem'
  /** Its number, or the one its text stands for: 3GPP TS 27.005 section 3.2.5, 27.007 section 9.2; the vendor's from 512. */
  code: number | null
  /** As the modem said it. */
  said: string
}

export type AtReason =
  /** The modem answered, with a failure. */
  | 'refused'
  /** It did not answer in time. */
  | 'timeout'
  /** It started anew meanwhile. */
  | 'restarted'
  /** The port is gone. */
  | 'gone'

/** Why a command has no answer; the message names the command. */
export class AtError extends Error {
  override readonly name = 'AtError'
  readonly command: string
  readonly reason: AtReason
  readonly failure: Failure | undefined
  /** A message was being handed over, and its end was written: the modem may have sent it, whatever it says. */
  readonly handed_over: boolean

  constructor(of: {
    command: string
    reason: AtReason
    why: string
    failure?: Failure
    handed_over?: boolean
  }) {
    super(`${of.command}: ${of.why}`)
    this.command = of.command
    this.reason = of.reason
    this.failure = of.failure
    this.handed_over = of.handed_over ?? false
  }
}

/** `+CMS ERROR: 38`, `+CME ERROR: SIM busy`, `ERROR`; undefined for a line that ends no command in failure. */
export function readFailure(line: string): Failure | undefined {
  const coded = /^\+CM([SE]) ERROR(?::\s*(.*))?$/i.exec(line)
  if (coded) {
    const from = coded[1]!.toUpperCase() === 'S' ? 'cms' : 'cme'
    const said = coded[2] ?? ''
    return { from, code: codeOf(said) ?? codeOfText(from, said), said: line }
  }
  const huawei = /^MODEM ERROR:\s*(\d+)?/i.exec(line)
  if (huawei) return { from: 'modem', code: codeOf(huawei[1] ?? ''), said: line }
  return /^(ERROR|COMMAND NOT SUPPORT|TOO MANY PARAMETERS)$/i.test(line)
    ? { from: 'modem', code: null, said: line }
    : undefined
}

function codeOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}
