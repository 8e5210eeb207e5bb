import { readSmsc } from './address.ts'
import { DecodingError, octetsOfHex, openOctets } from './octets.ts'
import { readDeliver, type Deliver } from './pdu-deliver.ts'
import { readStatusReport, type StatusReport } from './pdu-status-report.ts'
import { readSubmit, type DecodedSubmit } from './pdu-submit.ts'

export type Pdu = Deliver | StatusReport | DecodedSubmit

export type PduHints = {
  /** Whether the PDU starts with the SMSC part. It almost always does; a raw TPDU does not. */
  smscPart?: boolean
  /**
   * The length in the `+CMGR`, `+CMGL`, `+CMT` or `+CDS` header. Several modems write a different number, so it is used
   * for one decision only: if it covers every octet, the SMSC part may be absent.
   */
  atLength?: number
}

/**
 * Decodes a PDU from a modem: a received SMS, a status report, or an outgoing SMS stored on the SIM. The PDU itself
 * says which. Tolerates extra octets at the end. Throws a DecodingError for everything else.
 */
export function decodePdu(hex: string, { smscPart, atLength }: PduHints = {}): Pdu {
  const octets = octetsOfHex(hex)
  if (smscPart !== undefined) return read(octets, smscPart)
  return (atLength === octets.length && readBare(octets)) || read(octets, true)
}

/** Undefined if it makes no sense without an SMSC part: some modems count that part in the length. */
function readBare(octets: Uint8Array<ArrayBuffer>): Pdu | undefined {
  try {
    const pdu = read(octets, false)
    // A type of address has its highest bit set. In a PDU with an SMSC part, the octet at this position almost never
    // does.
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
  if (first === undefined) throw new DecodingError('Nothing after the SMSC part', octets.at())
  switch (first & 3) {
    case 1:
      return readSubmit(octets, smsc)
    case 2:
      return readStatusReport(octets, smsc)
    default:
      // 3 is reserved; 23.040 section 9.2.3.1 says to read it as a DELIVER.
      return readDeliver(octets, smsc)
  }
}
