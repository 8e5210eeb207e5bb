import { exportTasks } from '@sdd/contract/tasks/tasks.ts'
import { download } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { tasks as words } from './text.ts'
import type { ServerTaskFilter } from './search.ts'
import type { SheetColumn } from '#console/ui/spreadsheet.ts'
import type { ExportSource } from '#console/ui/use-export.ts'

/** The tasks that match the filter, as a file. */
export function taskFile(filter: ServerTaskFilter): ExportSource {
  return {
    async load(signal, onBytes) {
      const { file, name = 'tasks.csv' } = await download(exportTasks, { query: filter, signal }, onBytes)
      return { file, name }
    },
    columns,
  }
}

const TIMES = ['sent_stamp', 'created_at', 'assigned_at', 'completed_at', 'discarded_at']

/** The columns of the server's file, in its order. */
function columns(): SheetColumn[] {
  const { open: _, ...fields } = words.columns
  const shown = Object.entries(fields).map(([key, label]): SheetColumn => {
    if (TIMES.includes(key)) return { label, kind: 'time' }
    return key === 'silent' ? { label, kind: (said) => (said === 'No' ? text.no : text.yes) } : { label }
  })
  const stateWord = (state: string) => words.states[state as keyof typeof words.states] ?? state
  return [
    ...shown,
    { label: words.state, kind: stateWord },
    { label: words.attemptCount, kind: 'number' },
    { label: words.why },
    { label: words.delivered, kind: 'time' },
    { label: words.reply },
    { label: words.replied, kind: 'time' },
  ]
}
