import { decodeGsm7 } from './gsm7.ts'
import type { InformationElement } from './udh.ts'

type Table = Readonly<Record<number, string>>

/** The tables with which a header says to read its septets. */
type National = {
  /** Replaces characters of the default alphabet. */
  locking: Table
  /** Replaces characters of the extension table. */
  single: Table
}

const SINGLE_SHIFT = 0x24
const LOCKING_SHIFT = 0x25
const ESCAPE = 27

/** 3GPP TS 23.038 annex A.2 and A.3, by language number: only the differences from the common tables. */
const TURKISH = 1
const SPANISH = 2
const PORTUGUESE = 3

const SINGLE: Record<number, Table> = {
  [TURKISH]: byCode('47Ğ 49İ 53Ş 63ç 67ğ 69ı 73ş'),
  [SPANISH]: byCode('09ç 41Á 49Í 4FÓ 55Ú 61á 69í 6Fó 75ú'),
  [PORTUGUESE]: byCode(
    '05ê 09ç 0BÔ 0Cô 0EÁ 0Fá 12Φ 13Γ 15Ω 16Π 17Ψ 18Σ 19Θ 1FÊ 41À 49Í 4FÓ 55Ú 5BÃ 5CÕ 61Â 69í 6Fó 75ú 7Bã 7Cõ 7Fâ',
  ),
}

const LOCKING: Record<number, Table> = {
  [TURKISH]: byCode('04€ 07ı 0BĞ 0Cğ 1CŞ 1Dş 40İ 60ç'),
  [PORTUGUESE]: byCode(
    '04ê 06ú 07í 08ó 09ç 0BÔ 0Cô 0EÁ 0Fá 12ª 13Ç 14À 15∞ 16^ 17\\ 18€ 19Ó 1A| 1CÂ 1Dâ 1EÊ 24º 40Í 5BÃ 5CÕ 5DÚ 60~ 7Bã 7Cõ 7D`',
  ),
}

/**
 * The national tables that a header asks for, or null. Only Turkish, Spanish and Portuguese are supported. Text with
 * the tables of Urdu and the languages of India is read with the default alphabet.
 */
export function nationalOf(elements: readonly InformationElement[]): National | null {
  const languageOf = (wanted: number) =>
    elements.findLast(({ iei, data }) => iei === wanted && data.length === 1)?.data[0] ?? 0
  const locking = LOCKING[languageOf(LOCKING_SHIFT)]
  const single = SINGLE[languageOf(SINGLE_SHIFT)]
  return locking || single ? { locking: locking ?? {}, single: single ?? {} } : null
}

/** Like `decodeGsm7`, with characters replaced by these tables. */
export function decodeNational(septets: ArrayLike<number>, { locking, single }: National): string {
  const plain = (code: number) => locking[code] ?? decodeGsm7([code])
  let text = ''
  for (let i = 0; i < septets.length; i++) {
    const code = septets[i]!
    const escaped = code === ESCAPE ? septets[++i] : undefined
    if (escaped !== undefined && escaped !== ESCAPE)
      text += single[escaped] ?? common(escaped) ?? plain(escaped)
    else text += code === ESCAPE ? ' ' : plain(code)
  }
  return text
}

/** The character of the extension table; undefined if the code falls back to the default alphabet. */
function common(code: number): string | undefined {
  const extended = decodeGsm7([ESCAPE, code])
  return extended === decodeGsm7([code]) ? undefined : extended
}

function byCode(characters: string): Table {
  const entries = characters
    .split(' ')
    .map((entry) => [Number.parseInt(entry.slice(0, 2), 16), entry.slice(2)])
  return Object.fromEntries(entries) as Table
}
