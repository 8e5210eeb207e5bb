import { readAddress } from './address.ts'
import { deliveryStatus, type DeliveryState } from './delivery-status.ts'
import type { Octets } from './octets.ts'
import { decodeTimestamp, TIMESTAMP_OCTETS } from './timestamp.ts'

/** The outcome of a sent SMS (3GPP TS 23.040 section 9.2.2.3). */
export type StatusReport = {
  type: 'status-report'
  smsc: string | null
  /** TP-MR: the reference that the modem gave the sent part (`+CMGS: <mr>`). */
  reference: number
  /** The recipient, often in another form than dialled, and garbled by some modems. Do not use it as a key. */
  number: string
  typeOfAddress: number
  /** When the SMSC received the message, ISO 8601 in its own zone; null if it is not a valid time. */
  timestamp: string | null
  /** When the message was delivered, last tried, or given up. */
  discharge: string | null
  /** TP-ST, unchanged. */
  status: number
  state: DeliveryState
  /** The meaning of the status, for a person. */
  sentence: string
}

/** Reads a STATUS-REPORT after its SMSC part. Ignores optional fields after TP-ST (TP-PI, text of the SMSC). */
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
