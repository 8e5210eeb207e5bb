import { encodeAddress, encodeSmsc, readAddress } from './address.ts'
import { dcsFor } from './dcs.ts'
import { isGsm7 } from './gsm7.ts'
import { hexOf, type Octets } from './octets.ts'
import { splitText } from './segments.ts'
import { decodeTimestamp, encodeTimestamp, TIMESTAMP_OCTETS } from './timestamp.ts'
import { concatElement } from './udh.ts'
import { encodeUserData, readUserData, type UserData } from './user-data.ts'
import { decodeValidity, encodeValidity } from './validity.ts'

export type OutgoingText = {
  /** Digits, optionally after a `+`. */
  to: string
  text: string
  /** 0..255. The parts of a long text share it. Use another one for the next message to that number. */
  reference: number
  /** Asks the network for a delivery report for each part. */
  report: boolean
  /** How long the SMSC should try, rounded up to a value that a PDU can express. Default: the SMSC decides. */
  validity_mins?: number
  /** The SMSC to send through. Default: the modem's own. */
  smsc?: string
  /** Shown immediately and not stored: class 0. */
  flash?: boolean
}

export type WrittenPdu = {
  /** The text to type after the `> ` prompt, followed by Ctrl-Z. */
  pdu: string
  /** The n of `AT+CMGS=<n>`: the number of octets after the SMSC part. */
  atLength: number
}

/** An outgoing SMS (3GPP TS 23.040 section 9.2.2.2). */
export type Submit = Pick<UserData, 'dcs' | 'udh' | 'text' | 'data'> & {
  smsc: string | null
  number: string
  /** TP-MR; modems replace it with their own. */
  reference: number
  pid: number
  reportRequested: boolean
  rejectDuplicates: boolean
  validity: Validity | null
}

export type Validity =
  | { format: 'relative'; minutes: number }
  /** ISO 8601; null if it is not a valid time. */
  | { format: 'absolute'; until: string | null }
  | { format: 'enhanced'; octets: Uint8Array<ArrayBuffer> }

export type DecodedSubmit = Submit & UserData & { type: 'submit'; typeOfAddress: number }

/** TP-VPF, bits 3 and 4 of the first octet. */
const FORMATS = [null, 'enhanced', 'relative', 'absolute'] as const

/**
 * One PDU per segment, in order. Throws a RangeError if the number is invalid, the text is empty or needs more than 255
 * segments, or the validity is not above 0.
 */
export function encodeSubmit(sms: OutgoingText): WrittenPdu[] {
  if (sms.text === '') throw new RangeError('There is no text to send')
  const parts = splitText(sms.text)
  const dcs = dcsFor(isGsm7(sms.text) ? 'gsm7' : 'ucs2', sms.flash === true)
  const validity: Validity | null =
    sms.validity_mins === undefined ? null : { format: 'relative', minutes: sms.validity_mins }
  return parts.map((text, i) => {
    const concat = { ref: sms.reference, refBits: 8, n: i + 1, of: parts.length } as const
    return writeSubmit({
      smsc: sms.smsc ?? null,
      number: sms.to,
      reference: 0,
      pid: 0,
      reportRequested: sms.report,
      rejectDuplicates: false,
      validity,
      dcs,
      udh: parts.length > 1 ? [concatElement(concat)] : [],
      text,
      data: null,
    })
  })
}

/** One PDU, written field by field. Throws a RangeError for values that no PDU can express. */
export function writeSubmit(submit: Submit): WrittenPdu {
  const first =
    0x01 |
    (submit.rejectDuplicates ? 0x04 : 0) |
    (FORMATS.indexOf(submit.validity?.format ?? null) << 3) |
    (submit.reportRequested ? 0x20 : 0) |
    (submit.udh.length > 0 ? 0x40 : 0)
  const octets = Uint8Array.of(
    first,
    submit.reference,
    ...encodeAddress(submit.number),
    submit.pid,
    submit.dcs,
    ...validityOctets(submit.validity),
    ...encodeUserData(submit),
  )
  return { pdu: hexOf(encodeSmsc(submit.smsc)) + hexOf(octets), atLength: octets.length }
}

/** Reads a SUBMIT after its SMSC part, as a modem stores it. */
export function readSubmit(octets: Octets, smsc: string | null): DecodedSubmit {
  const first = octets.octet('first octet')
  const reference = octets.octet('TP-MR')
  const { number, typeOfAddress } = readAddress(octets, 'recipient')
  const pid = octets.octet('TP-PID')
  const dcs = octets.octet('TP-DCS')
  const validity = readValidity(octets, FORMATS[(first >> 3) & 3]!)
  return {
    type: 'submit',
    smsc,
    number,
    typeOfAddress,
    reference,
    pid,
    reportRequested: (first & 0x20) !== 0,
    rejectDuplicates: (first & 0x04) !== 0,
    validity,
    ...readUserData(octets, dcs, (first & 0x40) !== 0),
  }
}

function readValidity(octets: Octets, format: Validity['format'] | null): Validity | null {
  switch (format) {
    case null:
      return null
    case 'relative':
      return { format, minutes: decodeValidity(octets.octet('validity')) }
    case 'absolute':
      return { format, until: decodeTimestamp(octets.take(TIMESTAMP_OCTETS, 'validity')) }
    case 'enhanced':
      return { format, octets: octets.take(TIMESTAMP_OCTETS, 'validity') }
  }
}

function validityOctets(validity: Validity | null): Uint8Array<ArrayBuffer> {
  if (validity === null) return new Uint8Array()
  switch (validity.format) {
    case 'relative':
      return Uint8Array.of(encodeValidity(validity.minutes))
    case 'absolute':
      return encodeTimestamp(validity.until ?? '')
    case 'enhanced':
      return validity.octets
  }
}
