/** What a TP-DCS says about the user data (3GPP TS 23.038 section 4). */
export type Dcs = {
  encoding: 'gsm7' | '8bit' | 'ucs2'
  /** Class 0 is shown immediately and not stored (flash), 1 is for the phone, 2 for the SIM, 3 for another terminal. */
  class: 0 | 1 | 2 | 3 | null
  compressed: boolean
  /** A value without a defined meaning. It is read as GSM-7, as the standard requires. */
  reserved: boolean
  /** Delete the message after reading. */
  autoDelete: boolean
  /** Turns a waiting indication on or off, for example for voicemail. */
  waiting: Waiting | null
}

export type Waiting = {
  what: 'voicemail' | 'fax' | 'email' | 'other'
  /** Whether something is still waiting. */
  active: boolean
  /** Whether to store the text itself. */
  keep: boolean
}

const WAITING_FOR = ['voicemail', 'fax', 'email', 'other'] as const
const ENCODINGS = ['gsm7', '8bit', 'ucs2', 'gsm7'] as const

export function readDcs(octet: number): Dcs {
  const group = octet >> 4
  if (group < 8) return general(octet)
  if (group < 12) return { ...PLAIN, reserved: true }
  if (group === 15) return { ...PLAIN, encoding: octet & 4 ? '8bit' : 'gsm7', class: classOf(octet) }
  const waiting = {
    what: WAITING_FOR[octet & 3]!,
    active: (octet & 8) !== 0,
    keep: group !== 12,
  }
  return { ...PLAIN, encoding: group === 14 ? 'ucs2' : 'gsm7', waiting }
}

/** The TP-DCS of a text to send: with class 0 for a flash message, otherwise without a class. */
export function dcsFor(encoding: 'gsm7' | 'ucs2', flash: boolean): number {
  return (encoding === 'ucs2' ? 8 : 0) | (flash ? 0x10 : 0)
}

const PLAIN: Dcs = {
  encoding: 'gsm7',
  class: null,
  compressed: false,
  reserved: false,
  autoDelete: false,
  waiting: null,
}

function general(octet: number): Dcs {
  const alphabet = (octet >> 2) & 3
  return {
    encoding: ENCODINGS[alphabet]!,
    class: octet & 0x10 ? classOf(octet) : null,
    compressed: (octet & 0x20) !== 0,
    reserved: alphabet === 3,
    autoDelete: (octet & 0x40) !== 0,
    waiting: null,
  }
}

function classOf(octet: number): 0 | 1 | 2 | 3 {
  return (octet & 3) as 0 | 1 | 2 | 3
}
