import Papa from 'papaparse'

/** Parses a text, or its first rows. `separator` is one, or those to guess from. */
export function parseText<Separator extends string>(
  text: string,
  separator: Separator | readonly [Separator, ...Separator[]],
  most = 0,
) {
  const isGuess = typeof separator !== 'string'
  const guesses = isGuess ? separator : ([separator] as const)
  const { data, meta, errors } = Papa.parse<string[]>(text, {
    delimiter: isGuess ? '' : separator,
    delimitersToGuess: [...guesses],
    preview: most,
    // Blank lines would spoil the guess, but otherwise they count, so that rows keep their numbers.
    skipEmptyLines: isGuess,
  })
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes')?.row
  return {
    rows: data,
    // A single column has no separator to be found.
    separator: guesses.find((one) => one === meta.delimiter) ?? guesses[0],
    unclosed: unclosed === undefined ? undefined : unclosed + 1,
  }
}

/** Writes rows as a file that spreadsheets read as UTF-8, and without formulas. */
export function writeCsv(rows: readonly (readonly string[])[]): Blob {
  const text = Papa.unparse(rows as string[][], { escapeFormulae: true })
  return new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' })
}
