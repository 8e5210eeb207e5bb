import { type Failure, readFailure } from './failure.ts'
import { type Registration, readRegistration } from './registration.ts'

/** A line that the modem sends unsolicited. `line` is its text. */
export type Unsolicited = { line: string } & (
  | { kind: 'stored'; storage: string; index: number }
  | { kind: 'report_stored'; storage: string; index: number }
  | { kind: 'message'; pdu: string }
  | { kind: 'report'; pdu: string }
  | { kind: 'memory_full'; storage: string | null }
  | { kind: 'registration'; registration: Registration }
  | { kind: 'sim_out' }
  /** The state of a USSD session, and its text as the modem writes it: one character for each byte. */
  | { kind: 'ussd'; state: number; written: string | null; dcs: number | null }
  /**
   * The modem restarted and lost its settings. `sure`: only just now; otherwise the line may belong to an earlier
   * start.
   */
  | { kind: 'restarted'; sure: boolean }
  /** The modem switches itself off. `ordered`: on request; otherwise its power supply failed. */
  | { kind: 'power_down'; ordered: boolean }
  /** Of no interest here: signal, calls, vendors' own lines. */
  | { kind: 'chatter' }
)

export type Reading =
  | { is: 'ok' }
  | { is: 'failure'; failure: Failure }
  /** The end of a call, which is a final result only for a dial command. */
  | { is: 'call_over' }
  | { is: 'unsolicited'; unsolicited: Unsolicited }
  /** The first of two lines; the second is the PDU. */
  | { is: 'head'; kind: 'message' | 'report' }
  /** A USSD text that goes on in the next line. */
  | { is: 'open_ussd' }
  /** Part of an answer, if one is awaited. */
  | { is: 'text' }

/**
 * Classifies a line by its beginning, never by its position: modems put unsolicited lines between a command and its
 * echo, and into the middle of answers. `awaited` has the prefixes (`+CREG`) that the answer to the current command may
 * have.
 */
export function readLine(line: string, awaited: readonly string[] = []): Reading {
  if (/^OK$/i.test(line)) return { is: 'ok' }
  const failure = readFailure(line)
  if (failure) return { is: 'failure', failure }
  if (/^(NO CARRIER|NO ANSWER|NO DIAL ?TONE|BUSY)$/i.test(line)) return { is: 'call_over' }

  const prefix = prefixOf(line)
  if (prefix !== undefined && awaited.includes(prefix) && !isAlwaysUnsolicited(line)) return { is: 'text' }
  return readUnsolicited(line, prefix) ?? { is: 'text' }
}

/** `+CMTI` of `+CMTI: "SM",3`. */
export function prefixOf(line: string): string | undefined {
  return /^([+^*%$#!][A-Z0-9]+)\s*:/i.exec(line)?.[1]?.toUpperCase()
}

/** An answer to AT+CREG? has the mode before the state, so a line with only one field is not an answer. */
function isAlwaysUnsolicited(line: string): boolean {
  return /^\+C(G|E|5G)?REG:\s*\d+$/i.test(line)
}

function readUnsolicited(line: string, prefix: string | undefined): Reading | undefined {
  const unsolicited = (fields: WithoutLine<Unsolicited>): Reading => ({
    is: 'unsolicited',
    unsolicited: { line, ...fields } as Unsolicited,
  })
  if (isStart(line))
    return unsolicited({ kind: 'restarted', sure: /^(RDY|\^SYSSTART|MODEM:STARTUP)/i.test(line) })
  if (/^(NORMAL POWER DOWN|(UNDER|OVER)-VOLTAGE POWER DOWN|POWERED DOWN)/i.test(line))
    return unsolicited({ kind: 'power_down', ordered: /^(NORMAL|POWERED)/i.test(line) })
  if (/^\+?SMS FULL/i.test(line)) return unsolicited({ kind: 'memory_full', storage: null })
  if (/^(RING|CONNECT)\b/i.test(line)) return unsolicited({ kind: 'chatter' })
  if (prefix === undefined) return undefined

  const rest = line.slice(line.indexOf(':') + 1).trim()
  switch (prefix) {
    case '+CMTI':
    case '+CDSI': {
      const place = /^"?([A-Z]{2})"?\s*,\s*(\d+)/i.exec(rest)
      if (!place) return unsolicited({ kind: 'chatter' })
      const kind = prefix === '+CMTI' ? 'stored' : 'report_stored'
      return unsolicited({ kind, storage: place[1]!.toUpperCase(), index: Number(place[2]) })
    }
    case '+CMT':
    case '+CDS': {
      const kind = prefix === '+CMT' ? 'message' : 'report'
      const pdu = pduIn(rest)
      return pdu === undefined ? { is: 'head', kind } : unsolicited({ kind, pdu })
    }
    case '^SMMEMFULL':
      return unsolicited({ kind: 'memory_full', storage: /[A-Z]{2}/i.exec(rest)?.[0].toUpperCase() ?? null })
    case '+QIND':
      if (/^"?smsfull/i.test(rest))
        return unsolicited({ kind: 'memory_full', storage: /"([A-Z]{2})"/.exec(rest)?.[1] ?? null })
      return unsolicited({ kind: 'chatter' })
    case '+CREG':
    case '+CGREG':
    case '+CEREG':
    case '+C5GREG': {
      const registration = readRegistration(line)
      return unsolicited(registration ? { kind: 'registration', registration } : { kind: 'chatter' })
    }
    case '+CPIN':
      return unsolicited({
        kind: /^(NOT READY|NOT INSERTED|SIM REMOVED)/i.test(rest) ? 'sim_out' : 'chatter',
      })
    case '+CUSD':
      return readUssd(line) ?? unsolicited({ kind: 'chatter' })
    case '+QSIMSTAT':
      return unsolicited({ kind: /^\d,0/.test(rest) ? 'sim_out' : 'chatter' })
    default:
      return unsolicited({ kind: 'chatter' })
  }
}

/** `+CUSD: 0,"text",15`. The text may have quotes, and line ends: then it is open until its closing quote. */
function readUssd(line: string): Reading | undefined {
  const [, state, text] = /^\+CUSD:\s*(\d)\s*(?:,\s*([^]*))?$/i.exec(line) ?? []
  if (state === undefined) return undefined
  const [, quoted, bare, dcs] = /^(?:"([^]*)"|([^",]*))\s*(?:,\s*(\d+)?\s*)?$/.exec(text ?? '') ?? []
  const written = quoted ?? bare
  if (written === undefined) return { is: 'open_ussd' }
  const fields = {
    state: Number(state),
    written: written || null,
    dcs: dcs === undefined ? null : Number(dcs),
  }
  return { is: 'unsolicited', unsolicited: { kind: 'ussd', line, ...fields } }
}

/**
 * The lines that modems print when they start (SIMCom, Quectel, Cinterion, Sierra, Wavecom). Huawei's `^BOOT` is not
 * one: old sticks print it every 20 s.
 */
function isStart(line: string): boolean {
  return (
    /^(RDY|Call Ready|SMS Ready|SMS DONE|PB DONE|MODEM:STARTUP|\^SYSSTART\b.*|\+PBREADY)$/i.test(line) ||
    /^\+(CFUN:\s*1|CPIN:\s*READY|QIND:\s*"?(SMS|PB) DONE"?|WIND:\s*[34])$/i.test(line)
  )
}

/** A PDU on the line of its header, as some modems write it. */
export function pduIn(text: string): string | undefined {
  return /(?:^|[\s,])([0-9A-F]{14,})$/i.exec(text)?.[1]
}

type WithoutLine<T> = T extends unknown ? Omit<T, 'line'> : never
