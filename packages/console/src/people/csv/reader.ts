import { foldText } from '#console/ui/fold.ts'
import {
  type CsvEncoding,
  type CsvFault,
  type CsvLayout,
  type CsvTable,
  looksLikeNumber,
  MAX_CSV_BYTES,
  MAX_CSV_COLUMNS,
  separators,
} from './csv.ts'
import { browserTurn } from './pieces.ts'

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
