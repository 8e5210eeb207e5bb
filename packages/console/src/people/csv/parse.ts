import Papa, { type Parser, type ParseResult } from 'papaparse'
import { browserTurn } from './pieces.ts'

/** Guesses the separator from the first rows of a text, which it parses. */
export function parseSample<Separator extends string>(
  text: string,
  separators: readonly [Separator, ...Separator[]],
  most: number,
) {
  const { data, meta } = Papa.parse<string[]>(text, {
    delimitersToGuess: [...separators],
    preview: most,
    // Blank lines would spoil the guess.
    skipEmptyLines: true,
  })
  // A single column has no separator to be found.
  return { rows: data, separator: separators.find((one) => one === meta.delimiter) ?? separators[0] }
}

/** So many characters are parsed at once. Then the browser may draw and take keys. */
const AT_ONCE = 250_000

/** Parses a whole text, with each cell as `cellOf` reads it. Blank lines count, so that rows keep their numbers. */
export function parseText(
  text: string,
  separator: string,
  cellOf: (raw: string) => string,
): Promise<{ rows: string[][]; unclosed: number | undefined }> {
  return new Promise((resolve) => {
    const rows: string[][] = []
    let unclosed: number | undefined
    // Its types know `chunk` for files only, but it works for texts too.
    const config = {
      delimiter: separator,
      chunkSize: AT_ONCE,
      chunk({ data, errors }: ParseResult<string[]>, parser: Parser) {
        const fault = errors.find(({ code }) => code === 'MissingQuotes')
        if (fault?.row !== undefined) unclosed ??= rows.length + fault.row + 1
        for (const cells of data) rows.push(cells.map(cellOf))
        parser.pause()
        void browserTurn().then(() => parser.resume())
      },
      complete: () => resolve({ rows, unclosed }),
    }
    Papa.parse<string[]>(text, config)
  })
}

/** Writes rows as a file that spreadsheets read as UTF-8, and without formulas. */
export function writeCsv(rows: readonly (readonly string[])[]): Blob {
  const text = Papa.unparse(rows as string[][], { escapeFormulae: true })
  return new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' })
}
