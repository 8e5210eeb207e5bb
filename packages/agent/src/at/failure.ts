import { codeOfText } from './error-texts.ts'

/** The modem's answer in place of OK. */
export type Failure = {
  /** `cms`: message service; `cme`: equipment; `modem`: a bare ERROR, or a vendor's own word for it. */
  from: 'cms' | 'cme' | 'modem'
  /** The code, or the code of its text: 3GPP TS 27.005 section 3.2.5, 27.007 section 9.2; vendor codes from 512. */
  code: number | null
  /** The line as the modem wrote it. */
  said: string
}

export type AtReason =
  /** The modem answered with a failure. */
  | 'refused'
  /** The modem did not answer in time. */
  | 'timeout'
  /** The modem restarted in the meantime. */
  | 'restarted'
  /** The port is gone. */
  | 'gone'

/** Why a command has no answer. The message names the command, without a PIN: it is shown and logged. */
export class AtError extends Error {
  override readonly name = 'AtError'
  readonly command: string
  readonly reason: AtReason
  readonly failure: Failure | undefined
  /** Whether the end of a message was written: the modem may have sent it, whatever it answers. */
  readonly handed_over: boolean

  constructor(details: {
    command: string
    reason: AtReason
    why: string
    failure?: Failure
    handed_over?: boolean
  }) {
    super(`${details.command.replace(/^(AT\+CPIN)=.*$/i, '$1')}: ${details.why}`)
    this.command = details.command
    this.reason = details.reason
    this.failure = details.failure
    this.handed_over = details.handed_over ?? false
  }
}

/** `+CMS ERROR: 38`, `+CME ERROR: SIM busy`, `ERROR`; undefined for any line that is not a failure. */
export function readFailure(line: string): Failure | undefined {
  const coded = /^\+CM([SE]) ERROR(?::\s*(.*))?$/i.exec(line)
  if (coded) {
    const from = coded[1]!.toUpperCase() === 'S' ? 'cms' : 'cme'
    const text = coded[2] ?? ''
    return { from, code: codeOf(text) ?? codeOfText(from, text), said: line }
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
