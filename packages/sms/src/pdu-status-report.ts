import { readAddress } from './address.ts'
import { deliveryStatus, type DeliveryState } from './delivery-status.ts'
import type { Octets } from './octets.ts'
import { decodeTimestamp, TIMESTAMP_OCTETS } from './timestamp.ts'

/** What became of an SMS that was sent (3GPP TS 23.040 section 9.2.2.3). */
export type StatusReport = {
  type: 'status-report'
  smsc: string | null
  /** TP-MR: the reference that the modem gave the sent part (`+CMGS: <mr>`). */
  reference: number
  /** Who it was sent to, often in another form than was dialled, with some modems garbled: no key to find it by. */
  number: string
  typeOfAddress: number
  /** When the SMSC had the message, ISO 8601 in its own zone; null for what is no time. */
  timestamp: string | null
  /** When it was delivered, last tried, or given up. */
  discharge: string | null
  /** TP-ST as it came. */
  status: number
  state: DeliveryState
  /** What the status says, for a person. */
  sentence: string
}

/** Reads a STATUS-REPORT behind its SMSC part. What may follow TP-ST (TP-PI, text of the SMSC) is not looked at. */
export function readStatusReport(octets: Octets, smsc: string | null): StatusReport {
  octets.octet('first octet')
  const reference = octets.octet('TP-MR')
  const { number, typeOfAddress } = readAddress(octets, 'recipient')
  const timestamp = decodeTimestamp(octets.take(TIMESTAMP_OCTETS, 'timestamp'))
  const discharge = decodeTimestamp(octets.take(TIMESTAMP_OCTETS, 'discharge time'))
  const status = octets.octet('TP-ST')
  return {
    type: 'status-report',
    smsc,
    reference,
    number,
    typeOfAddress,
    timestamp,
    discharge,
    status,
    ...deliveryStatus(status),
  }
}
