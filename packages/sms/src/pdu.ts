import { readSmsc } from './address.ts'
import { DecodingError, octetsOfHex, openOctets } from './octets.ts'
import { readDeliver, type Deliver } from './pdu-deliver.ts'
import { readStatusReport, type StatusReport } from './pdu-status-report.ts'
import { readSubmit, type DecodedSubmit } from './pdu-submit.ts'

export type Pdu = Deliver | StatusReport | DecodedSubmit

export type PduHints = {
  /** Whether the SMSC part comes first. As good as always it does; a raw TPDU is without. */
  smscPart?: boolean
  /**
   * The length of the `+CMGR`, `+CMGL`, `+CMT` or `+CDS` header. Several modems put another number there, so it decides
   * one thing alone, and only if it fits: where it covers every octet, there may be no SMSC part.
   */
  atLength?: number
}

/**
 * What a modem handed over: an SMS that came in, a status report, or one of the SIM that was to be sent. Which, the PDU
 * says itself. Reads what it needs and tolerates octets behind that; throws a DecodingError for all else.
 */
export function decodePdu(hex: string, { smscPart, atLength }: PduHints = {}): Pdu {
  const octets = octetsOfHex(hex)
  if (smscPart !== undefined) return read(octets, smscPart)
  return (atLength === octets.length && readBare(octets)) || read(octets, true)
}

/** Undefined where it makes no sense without an SMSC part: some modems count that in the length. */
function readBare(octets: Uint8Array<ArrayBuffer>): Pdu | undefined {
  try {
    const pdu = read(octets, false)
    // A type of address has its highest bit set, what stands there in a PDU with an SMSC part as good as never.
    return pdu.typeOfAddress & 0x80 ? pdu : undefined
  } catch (error) {
    if (error instanceof DecodingError) return undefined
    throw error
  }
}

function read(pdu: Uint8Array<ArrayBuffer>, smscPart: boolean): Pdu {
  const octets = openOctets(pdu)
  const smsc = (smscPart && readSmsc(octets)?.number) || null
  const first = octets.rest()[0]
  if (first === undefined) throw new DecodingError('Nothing behind the SMSC part', octets.at())
  switch (first & 3) {
    case 1:
      return readSubmit(octets, smsc)
    case 2:
      return readStatusReport(octets, smsc)
    default:
      // 3 is reserved; 23.040 section 9.2.3.1 has it read as a DELIVER.
      return readDeliver(octets, smsc)
  }
}
