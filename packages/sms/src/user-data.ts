import { readDcs, type Dcs } from './dcs.ts'
import { decodeGsm7, encodeGsm7, packSeptets, unpackSeptets } from './gsm7.ts'
import { decodeNational, nationalOf } from './national.ts'
import { DecodingError, type Octets } from './octets.ts'
import {
  concatOf,
  encodeElements,
  portsOf,
  readElements,
  type Concat,
  type InformationElement,
  type Ports,
} from './udh.ts'

/** The user data of a PDU, with the meaning of its TP-DCS. */
export type UserData = Dcs & {
  /** The TP-DCS, unchanged. */
  dcs: number
  /** The elements of the header, including unknown ones. */
  udh: InformationElement[]
  /** Null if this is a single message. */
  concat: Concat | null
  ports: Ports | null
  /** Null for 8-bit data or compressed text. The text of a part may begin or end with half a surrogate pair. */
  text: string | null
  /** The octets after the header if there is no text. */
  data: Uint8Array<ArrayBuffer> | null
}

/** The most octets in TP-UD. */
const MOST_OCTETS = 140

/** Reads TP-UDL and TP-UD. `headed`: the first octet of the PDU has TP-UDHI set. */
export function readUserData(octets: Octets, dcsOctet: number, headed: boolean): UserData {
  const dcs = readDcs(dcsOctet)
  const inSeptets = dcs.encoding === 'gsm7' && !dcs.compressed
  const length = octets.octet('user-data length')
  const at = octets.at()
  const userData = octets.take(inSeptets ? Math.ceil((7 * length) / 8) : length, 'user data')

  const { udh, headerOctets } = headed ? readHeader(userData, at) : { udh: [], headerOctets: 0 }
  const body = userData.subarray(headerOctets)
  const concat = concatOf(udh)
  const readable = !dcs.compressed && dcs.encoding !== '8bit'
  const textOf = () =>
    inSeptets ? septetText(septetsBehind(headerOctets, userData, length), udh) : ucs2Text(body)
  const text = readable ? textOf() : null
  return {
    ...dcs,
    dcs: dcsOctet,
    udh,
    concat,
    ports: portsOf(udh),
    // The other half of a torn pair may be in the next part. In a single message it never comes.
    text: concat ? text : (text?.toWellFormed() ?? null),
    data: readable ? null : body,
  }
}

/**
 * TP-UDL and TP-UD. Throws a RangeError if they exceed 140 octets, the alphabet lacks a character, or there is text
 * although the TP-DCS says data.
 */
export function encodeUserData({
  dcs: dcsOctet,
  udh,
  text,
  data,
}: Pick<UserData, 'dcs' | 'udh' | 'text' | 'data'>): Uint8Array<ArrayBuffer> {
  const { encoding, compressed } = readDcs(dcsOctet)
  const header = encodeElements(udh)
  const readable = !compressed && encoding !== '8bit'
  if (readable ? text === null : data === null) throw new RangeError('The TP-DCS and the user data disagree')

  if (readable && encoding === 'gsm7') {
    const septets = encodeGsm7(text!)
    const { headerSeptets, fillBits } = roomOf(header.length)
    return userData(headerSeptets + septets.length, header, packSeptets(septets, fillBits))
  }
  const body = readable ? ucs2Octets(text!) : data!
  return userData(header.length + body.length, header, body)
}

function userData(length: number, header: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const octets = header.length + body.length
  if (octets > MOST_OCTETS) throw new RangeError(`One SMS holds ${MOST_OCTETS} octets, not ${octets}`)
  return Uint8Array.of(length, ...header, ...body)
}

function readHeader(userData: Uint8Array<ArrayBuffer>, at: number) {
  const headerOctets = 1 + (userData[0] ?? 0)
  if (headerOctets > userData.length) {
    throw new DecodingError(`The user-data header is longer than the user data`, at)
  }
  return { udh: readElements(userData.subarray(1, headerOctets), at + 1), headerOctets }
}

/** Text after a header begins on a septet boundary: the septets that the header covers, and the fill bits. */
function roomOf(headerOctets: number): { headerSeptets: number; fillBits: number } {
  const headerSeptets = Math.ceil((8 * headerOctets) / 7)
  return { headerSeptets, fillBits: 7 * headerSeptets - 8 * headerOctets }
}

function septetsBehind(headerOctets: number, userData: Uint8Array, length: number): Uint8Array {
  const { headerSeptets, fillBits } = roomOf(headerOctets)
  return unpackSeptets(userData.subarray(headerOctets), Math.max(0, length - headerSeptets), fillBits)
}

function septetText(septets: Uint8Array, udh: readonly InformationElement[]): string {
  const national = nationalOf(udh)
  return national ? decodeNational(septets, national) : decodeGsm7(septets)
}

/** An odd octet at the end is dropped. */
function ucs2Text(octets: Uint8Array): string {
  let text = ''
  for (let i = 0; i + 1 < octets.length; i += 2)
    text += String.fromCharCode((octets[i]! << 8) | octets[i + 1]!)
  return text
}

function ucs2Octets(text: string): Uint8Array<ArrayBuffer> {
  const octets = new Uint8Array(2 * text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    octets[2 * i] = unit >> 8
    octets[2 * i + 1] = unit & 0xff
  }
  return octets
}
