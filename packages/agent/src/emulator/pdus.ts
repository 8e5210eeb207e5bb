import { encodeAddress, encodeAlphanumeric, encodeSmsc } from '@sdd/sms/address.ts'
import { dcsFor } from '@sdd/sms/dcs.ts'
import { isGsm7 } from '@sdd/sms/gsm7.ts'
import { hexOf } from '@sdd/sms/octets.ts'
import { splitText } from '@sdd/sms/segments.ts'
import { encodeTimestamp } from '@sdd/sms/timestamp.ts'
import { concatElement } from '@sdd/sms/udh.ts'
import { encodeUserData } from '@sdd/sms/user-data.ts'

/** A PDU from the network to a phone. The agent only reads these, so they are written only here. */
export type Delivered = { pdu: string; atLength: number }

/** One DELIVER per part (3GPP TS 23.040 section 9.2.2.1). `from`: a number or a name. `at`: ms since 1970. */
export function writeDelivers(sms: {
  from: string
  text: string
  at: number
  smsc: string | null
  reference: number
}): Delivered[] {
  const parts = splitText(sms.text)
  const dcs = dcsFor(isGsm7(sms.text) ? 'gsm7' : 'ucs2', false)
  const sender = /^\+?[0-9*#]+$/.test(sms.from) ? encodeAddress(sms.from) : encodeAlphanumeric(sms.from)
  return parts.map((text, i) => {
    const udh =
      parts.length > 1
        ? [concatElement({ ref: sms.reference & 0xff, refBits: 8, n: i + 1, of: parts.length })]
        : []
    return withSmsc(sms.smsc, [
      0x04 | (udh.length > 0 ? 0x40 : 0),
      ...sender,
      0,
      dcs,
      ...encodeTimestamp(instant(sms.at)),
      ...encodeUserData({ dcs, udh, text, data: null }),
    ])
  })
}

/** A STATUS-REPORT (3GPP TS 23.040 section 9.2.2.3). */
export function writeStatusReport(report: {
  reference: number
  to: string
  sent_at: number
  at: number
  status: number
  smsc: string | null
}): Delivered {
  return withSmsc(report.smsc, [
    0x06,
    report.reference,
    ...encodeAddress(report.to),
    ...encodeTimestamp(instant(report.sent_at)),
    ...encodeTimestamp(instant(report.at)),
    report.status,
  ])
}

function withSmsc(smsc: string | null, tpdu: number[]): Delivered {
  return { pdu: hexOf(encodeSmsc(smsc)) + hexOf(Uint8Array.from(tpdu)), atLength: tpdu.length }
}

function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`
}
