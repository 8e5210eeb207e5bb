import { decodeGsm7 } from '@sdd/sms/gsm7.ts'
import { SmppFault, STATUS } from './commands.ts'

/** The `data_coding` of each alphabet. */
export const CODING = { gsm7: 0, ascii: 1, latin1: 3, ucs2: 8 } as const

const utf16 = new TextDecoder('utf-16be', { ignoreBOM: true })

/** The text of these octets. Throws a `SmppFault` for an alphabet that is not known, or octets that are not in it. */
export function decodeText(data_coding: number, octets: Buffer): string {
  switch (data_coding) {
    case CODING.gsm7:
      return decodeGsm7(septets(octets))
    case CODING.ascii:
      return septets(octets).toString('latin1')
    case CODING.latin1:
      return octets.toString('latin1')
    case CODING.ucs2:
      if (octets.length % 2 === 0) return utf16.decode(octets)
  }
  throw new SmppFault(STATUS.submit_failed)
}

/** Both alphabets of 7 bits have one character, or an escape, in each octet. */
function septets(octets: Buffer): Buffer {
  if (octets.some((octet) => octet > 0x7f)) throw new SmppFault(STATUS.submit_failed)
  return octets
}
