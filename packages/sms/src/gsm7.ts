/** The septet before a character of the extension table. */
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

/** 3GPP TS 23.038 section 6.2.1.1: the extension table; each code follows an escape. */
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

/** By UTF-16 unit (`€` is the highest): code + 1, flagged if it is in the extension table; 0 if there is none. */
const codes = (() => {
  const codes = new Uint16Array('€'.charCodeAt(0) + 1)
  for (let code = 0; code < 128; code++) {
    if (code !== ESCAPE) codes[DEFAULT_ALPHABET.charCodeAt(code)] = code + 1
  }
  for (const [code, char] of EXTENSION_TABLE) codes[char.charCodeAt(0)] = IN_EXTENSION | (code + 1)
  return codes
})()

/** How many septets a UTF-16 unit needs: 1, or 2 in the extension table, or 0 if GSM-7 does not have it. */
export function septetsOf(unit: number): 0 | 1 | 2 {
  const code = codes[unit]
  if (!code) return 0
  return code & IN_EXTENSION ? 2 : 1
}

/** Whether GSM-7 (default alphabet and extension table) has every character of the text. */
export function isGsm7(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!codes[text.charCodeAt(i)]) return false
  return true
}

/**
 * The text as septets (0..127, one per byte); a character of the extension table needs two. Throws a RangeError for a
 * character that GSM-7 does not have: check `isGsm7` first.
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
 * The text of these septets. According to 23.038, a code missing from the extension table reads as the character of the
 * default alphabet. An escape before another escape, or at the end, reads as a space.
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
 * Packs septets into octets, lowest bit first (23.038 section 6.1.2.1), after `fillBits` (0..6) zero bits. Fill bits
 * align the first septet after a user-data header to a septet boundary (23.040 section 9.2.3.24).
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
 * Unpacks `count` septets from octets, the reverse of `packSeptets`. The number of octets does not
 * determine the count: seven octets hold eight septets, or seven and padding. Too few octets give fewer septets, all of them
 * whole.
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
