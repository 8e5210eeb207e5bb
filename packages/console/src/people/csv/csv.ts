import { foldText } from '#console/ui/fold.ts'
import { browserTurn } from './pieces.ts'

export const encodings = ['utf-8', 'windows-1252', 'utf-16le'] as const
export type CsvEncoding = (typeof encodings)[number]

export const separators = [',', ';', '\t', '|'] as const
export type CsvSeparator = (typeof separators)[number]

/** How to read a file. It is guessed, and the user may change it. */
export type CsvLayout = { encoding: CsvEncoding; separator: CsvSeparator; titled: boolean }

/** `line` is the row's number in a spreadsheet. */
export type CsvRow = { line: number; cells: readonly string[] }

export type CsvTable = {
  /** One for each column; empty without a title row. */
  titles: readonly string[]
  /** Without blank rows. */
  rows: readonly CsvRow[]
  /** Signs of a wrong layout or a damaged file. */
  findings: {
    /** Letters that the encoding cannot read. */
    garbled: boolean
    /** Cells that begin with `=`. They are kept as text. */
    formulas: number
    /** The row with an opening quote that is never closed. */
    unclosed: number | undefined
  }
}

/** Why a file is no table that can be read. */
export type CsvFault = 'too_large' | 'empty' | 'workbook' | 'binary' | 'too_wide' | 'unreadable'

/** A larger file would keep the browser busy for seconds. About 300,000 rows. */
export const MAX_CSV_BYTES = 30_000_000
export const MAX_CSV_COLUMNS = 256

/** The bytes that are enough to guess the layout. */
const SAMPLE_BYTES = 100_000

/** What a file is by its first bytes, if it is no text. */
export function fileFault(bytes: Uint8Array): CsvFault | undefined {
  if (bytes.length === 0) return 'empty'
  if (bytes.length > MAX_CSV_BYTES) return 'too_large'
  const zip = bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
  const oldExcel = bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11
  if (zip || oldExcel) return 'workbook'
  return !isUtf16(bytes) && bytes.subarray(0, SAMPLE_BYTES).includes(0) ? 'binary' : undefined
}

export async function guessLayout(bytes: Uint8Array): Promise<CsvLayout> {
  const { parseSample } = await import('./parse.ts')
  const encoding = guessEncoding(bytes)
  const sample = new TextDecoder(encoding).decode(bytes.subarray(0, SAMPLE_BYTES))
  const { rows, separator } = parseSample(sample, separators, 50)
  return { encoding, separator, titled: guessTitled(rows) }
}

/** Windows-1252 reads any bytes, so it is the answer only if they cannot be UTF-8. */
function guessEncoding(bytes: Uint8Array): CsvEncoding {
  if (isUtf16(bytes)) return 'utf-16le'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

function isUtf16(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe
}

/** Titles have no number of a phone, while the rows below have. */
function guessTitled(rows: readonly (readonly string[])[]): boolean {
  const [first = [], ...rest] = rows
  if (first.some((cell) => looksLikeNumber(cellText(cell)))) return false
  return rest.length > 0 || first.some((cell) => isTitle(cell))
}

function isTitle(cell: string): boolean {
  return foldText(cell).trim() !== '' && !/\d/.test(cell)
}

/** Reads the whole file. */
export async function readTable(bytes: Uint8Array, layout: CsvLayout): Promise<CsvTable | CsvFault> {
  const { parseText } = await import('./parse.ts')
  const text = new TextDecoder(layout.encoding).decode(bytes)
  const { rows: lines, unclosed } = await parseText(text, layout.separator, cellText)
  const all = lines
    .map((cells, n) => ({ line: n + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  await browserTurn()
  const columns = all.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  if (columns > MAX_CSV_COLUMNS) return 'too_wide'
  const titleRow = layout.titled ? all[0]?.cells : undefined
  const rows = layout.titled ? all.slice(1) : all
  if (rows.length === 0) return 'empty'
  return {
    titles: Array.from({ length: columns }, (_, n) => titleRow?.[n] ?? ''),
    rows,
    findings: {
      garbled: /\uFFFD|Ã[\u0080-\u00BF¡-¿]/.test(text),
      formulas: rows.reduce((sum, { cells }) => sum + cells.filter((cell) => cell.startsWith('=')).length, 0),
      unclosed,
    },
  }
}

/**
 * The text of a cell. Spreadsheets mark a cell as text by an apostrophe before a sign or digit, or as `="600111222"`.
 */
function cellText(raw: string): string {
  const text = raw.trim()
  return /^="([^"]*)"$/.exec(text)?.[1] ?? text.replace(/^'(?=[=+\-@\d])/, '')
}

/** Whether a text has the form of a phone number of seven digits or more. */
export function looksLikeNumber(text: string): boolean {
  if (!/^\+?[\d\s.()/\u2010-\u2015-]{7,}$/.test(text)) return false
  const { length } = text.replace(/\D/g, '')
  return length >= 7 && length <= 15 && !/^\d{4}-\d\d-\d\d|^\d\d?[/.-]\d\d?[/.-]\d{4}/.test(text)
}
