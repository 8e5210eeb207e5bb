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

/** Whether a text has the form of a phone number of seven digits or more. */
export function looksLikeNumber(text: string): boolean {
  if (!/^\+?[\d\s.()/\u2010-\u2015-]{7,}$/.test(text)) return false
  const { length } = text.replace(/\D/g, '')
  return length >= 7 && length <= 15 && !/^\d{4}-\d\d-\d\d|^\d\d?[/.-]\d\d?[/.-]\d{4}/.test(text)
}
