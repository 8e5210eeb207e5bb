/** The septet that announces a character of the extension table. */
const ESCAPE = 27

/** 3GPP TS 23.038 section 6.2.1: the default alphabet, in the order of its codes; 27 is the escape. */
const DEFAULT_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà'

/** 3GPP TS 23.038 section 6.2.1.1: the extension table, each code written after an escape. */
const EXTENSION_TABLE = new Map([
  [10, '\f'],
  [20, '^'],
  [40, '{'],
  [41, '}'],
  [47, '\\'],
  [60, '['],
  [61, '~'],
  [62, ']'],
  [64, '|'],
  [101, '€'],
])

const IN_EXTENSION = 0x100

/** By UTF-16 unit (`€` is the highest): code + 1, marked where it is of the extension table; 0 where there is none. */
const codes = (() => {
  const codes = new Uint16Array('€'.charCodeAt(0) + 1)
  for (let code = 0; code < 128; code++) {
    if (code !== ESCAPE) codes[DEFAULT_ALPHABET.charCodeAt(code)] = code + 1
  }
  for (const [code, char] of EXTENSION_TABLE) codes[char.charCodeAt(0)] = IN_EXTENSION | (code + 1)
  return codes
})()

/** How many septets a UTF-16 unit takes: 1, 2 for one of the extension table, 0 where GSM-7 cannot write it. */
export function septetsOf(unit: number): 0 | 1 | 2 {
  const code = codes[unit]
  if (!code) return 0
  return code & IN_EXTENSION ? 2 : 1
}

/** Whether GSM-7 (default alphabet and extension table) can write every character of the text. */
export function isGsm7(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!codes[text.charCodeAt(i)]) return false
  return true
}

/**
 * The text as septets (0..127, one a byte), a character of the extension table as two.
 * Throws a RangeError for a character that GSM-7 does not have: ask `isGsm7` first.
 */
export function encodeGsm7(text: string): Uint8Array<ArrayBuffer> {
  const septets = new Uint8Array(2 * text.length)
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = codes[text.charCodeAt(i)]
    if (!code) throw new RangeError(`GSM-7 has no character for ${JSON.stringify(text[i])}`)
    if (code & IN_EXTENSION) septets[count++] = ESCAPE
    septets[count++] = (code & ~IN_EXTENSION) - 1
  }
  return septets.slice(0, count)
}

/**
 * The text that septets stand for. As 23.038 has it, a code that the extension table lacks reads as the one of the
 * default alphabet, and an escape that announces nothing (a second escape, or the end) as a space.
 */
export function decodeGsm7(septets: ArrayLike<number>): string {
  let text = ''
  for (let i = 0; i < septets.length; i++) {
    const code = septets[i]! & 0x7f
    if (code !== ESCAPE) {
      text += DEFAULT_ALPHABET[code]
      continue
    }
    const extended = septets[++i]
    if (extended === undefined || extended === ESCAPE) text += ' '
    else text += EXTENSION_TABLE.get(extended) ?? DEFAULT_ALPHABET[extended & 0x7f]
  }
  return text
}

/**
 * Septets in octets, lowest bit first (23.038 section 6.1.2.1), after `fillBits` zero bits: those that bring the
 * first septet behind a user-data header to a septet boundary (23.040 section 9.2.3.24), 0..6.
 */
export function packSeptets(septets: ArrayLike<number>, fillBits = 0): Uint8Array<ArrayBuffer> {
  const octets = new Uint8Array(Math.ceil((fillBits + 7 * septets.length) / 8))
  for (let i = 0, bit = fillBits; i < septets.length; i++, bit += 7) {
    const shifted = (septets[i]! & 0x7f) << (bit & 7)
    octets[bit >> 3]! |= shifted
    if (shifted > 0xff) octets[(bit >> 3) + 1]! |= shifted >> 8
  }
  return octets
}

/**
 * `count` septets out of octets, the reverse of `packSeptets`. The count decides, not the octets: seven septets leave
 * room for an eighth that is not there. Octets that end too soon give fewer septets, whole ones only.
 */
export function unpackSeptets(
  octets: ArrayLike<number>,
  count: number,
  fillBits = 0,
): Uint8Array<ArrayBuffer> {
  const whole = Math.max(0, Math.floor((8 * octets.length - fillBits) / 7))
  const septets = new Uint8Array(Math.min(count, whole))
  for (let i = 0, bit = fillBits; i < septets.length; i++, bit += 7) {
    const pair = octets[bit >> 3]! | ((octets[(bit >> 3) + 1] ?? 0) << 8)
    septets[i] = (pair >> (bit & 7)) & 0x7f
  }
  return septets
}
