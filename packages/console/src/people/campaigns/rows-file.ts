import { downloadRows, type RowFilter } from './campaign-calls.ts'
import { campaignPage as words } from './page-text.ts'
import type { SheetColumn } from '#console/ui/spreadsheet.ts'
import type { ExportSource } from '#console/ui/use-export.ts'

/** Rows of a campaign with their outcomes, as a file. */
export function rowsFile(id: number, filter: RowFilter): ExportSource {
  return {
    async load(signal, onBytes) {
      const { file, name = `campaign-${id}.csv` } = await downloadRows(id, filter, { signal, onBytes })
      return { file, name }
    },
    columns,
  }
}

/** The columns of the server's file, in its order. */
function columns(): SheetColumn[] {
  const { columns: shown, file, states } = words
  const stateWord = (state: string) => states[state as keyof typeof states] ?? state
  return [
    { label: shown.row, kind: 'number' },
    { label: shown.number },
    { label: shown.name },
    { label: file.text },
    { label: shown.state, kind: stateWord },
    { label: file.reason },
    { label: file.guid },
    { label: shown.device },
    { label: shown.at, kind: 'time' },
    { label: file.error },
    { label: file.reply },
  ]
}
