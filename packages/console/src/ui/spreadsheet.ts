/** How a spreadsheet of a language reads a file. */
export type SheetForm = { separator: string; time: (at: Date) => string }

/** A column of the machine's CSV, in its order. `number` is left to the spreadsheet; texts stay texts. */
export type SheetColumn = {
  label: string
  kind?: 'time' | 'number' | ((text: string) => string)
}

/**
 * Rewrites a CSV file of the server for a spreadsheet: titles and words in the language, local times, and its separator.
 * Columns beyond those given keep their title. Reads the file in pieces, so that the page stays responsive.
 */
export async function toSpreadsheet(
  file: Blob,
  columns: readonly SheetColumn[],
  form: SheetForm,
): Promise<Blob> {
  let written = '\uFEFF'
  let isHead = true
  const read = openCsvReader((cells) => {
    const line = isHead
      ? cells.map((title, n) => columns[n]?.label ?? title)
      : cells.map((text, n) => cellOf(text, columns[n]?.kind, form))
    isHead = false
    written += `${line.map((cell) => quoted(cell, form.separator)).join(form.separator)}\r\n`
  })
  const parts: string[] = []
  const pieces = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await pieces.read()
    if (done) break
    read(value)
    parts.push(written)
    written = ''
  }
  return new Blob([...parts, written], { type: 'text/csv;charset=utf-8' })
}

/** What a spreadsheet would read as a number or a date, and show as `3,46E+10` or without its zeros. */
const LIKE_A_NUMBER = /^[\d\s+().,:/%eE-]*\d[\d\s+().,:/%eE-]*$/

function cellOf(text: string, kind: SheetColumn['kind'], { time }: SheetForm): string {
  if (text === '' || kind === 'number') return text
  const at = kind === 'time' ? new Date(text) : undefined
  if (at && !Number.isNaN(at.getTime())) return time(at)
  const said = typeof kind === 'function' ? kind(text) : text
  return LIKE_A_NUMBER.test(said) ? `="${said}"` : said
}

function quoted(cell: string, separator: string): string {
  return /["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Reads pieces of a file after RFC 4180, and calls `onRow` for each line. */
function openCsvReader(onRow: (cells: string[]) => void): (piece: string) => void {
  const state = { cell: '', cells: [] as string[], isQuoted: false, afterQuote: false }

  function outside(char: string): void {
    if (char === '"') state.isQuoted = true
    else if (char === ',' || char === '\n') {
      state.cells.push(state.cell)
      state.cell = ''
      if (char === ',') return
      onRow(state.cells)
      state.cells = []
    } else if (char !== '\r') state.cell += char
  }

  return (piece) => {
    for (const char of piece) {
      if (state.afterQuote) {
        state.afterQuote = false
        if (char === '"') {
          state.cell += '"'
          continue
        }
        state.isQuoted = false
      }
      if (!state.isQuoted) outside(char)
      else if (char === '"') state.afterQuote = true
      else state.cell += char
    }
  }
}
