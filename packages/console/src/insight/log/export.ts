import { exportLogs } from '@sdd/contract/insight/log.ts'
import { download } from '#console/core/api.ts'
import { logs as words } from './text.ts'
import type { ServerFilter } from './search.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import type { SheetColumn } from '#console/ui/spreadsheet.ts'
import type { ExportSource } from '#console/ui/use-export.ts'

/** The messages that match the filter, as a file. */
export function logFile(filter: ServerFilter): ExportSource {
  return {
    async load(signal, onBytes) {
      const { file, name = ownName() } = await download(exportLogs, { query: filter, signal }, onBytes)
      return { file, name }
    },
    columns,
  }
}

/** The columns of the server's file, in its order. */
function columns(): SheetColumn[] {
  const shown = Object.entries(words.columns).map(([key, label]): SheetColumn => {
    if (key.endsWith('_timestamp')) return { label, kind: 'time' }
    if (key === 'id' || key === 'device_id') return { label, kind: 'number' }
    return key === 'error' ? { label, kind: outcomes.cause } : { label }
  })
  const stateWord = (state: string) => words.states[state as keyof typeof words.states] ?? state
  return [...shown, { label: words.state, kind: stateWord }, { label: words.queuedBy }]
}

function ownName(): string {
  return `transaction-logs-${new Date().toISOString().slice(0, 10)}.csv`
}
