import { readAddress } from './address.ts'
import type { Octets } from './octets.ts'
import { decodeTimestamp, TIMESTAMP_OCTETS } from './timestamp.ts'
import { readUserData, type UserData } from './user-data.ts'

/** A received SMS (3GPP TS 23.040 section 9.2.2.1). */
export type Deliver = UserData & {
  type: 'deliver'
  smsc: string | null
  /** The sender: `+` and digits, digits, or a name. */
  number: string
  typeOfAddress: number
  /** TP-PID. 0x40 is short message type 0, which a phone acknowledges and drops. */
  pid: number
  /** When the SMSC received it, ISO 8601 in its own zone. Null if it is not a valid time: use the time of arrival. */
  timestamp: string | null
  /** The SMSC has more messages for this phone. */
  moreWaiting: boolean
}

/** Reads a DELIVER after its SMSC part. Ignores octets after the user data. */
export function readDeliver(octets: Octets, smsc: string | null): Deliver {
  const first = octets.octet('first octet')
  const { number, typeOfAddress } = readAddress(octets, 'sender')
  const pid = octets.octet('TP-PID')
  const dcs = octets.octet('TP-DCS')
  const timestamp = decodeTimestamp(octets.take(TIMESTAMP_OCTETS, 'timestamp'))
  return {
    type: 'deliver',
    smsc,
    number,
    typeOfAddress,
    pid,
    timestamp,
    moreWaiting: (first & 0x04) === 0,
    ...readUserData(octets, dcs, (first & 0x40) !== 0),
  }
}
