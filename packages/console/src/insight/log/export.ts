import { CallFault } from '@sdd/contract/core/client.ts'
import { exportLogs } from '@sdd/contract/insight/log.ts'
import { useEffect, useRef, useState } from 'react'
import { download } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { exporting as words } from './export-text.ts'
import type { ServerFilter } from './search.ts'
import { saveFile } from '#console/ui/save-file.ts'
import { toast } from '#console/ui/toast.tsx'

/** How often the progress is drawn, in ms. */
const SHOW_EVERY_MS = 100

/** Saves the filtered messages as a file. `bytes` is the progress, undefined without a download. */
export function useExport(): {
  bytes: number | undefined
  start(filter: ServerFilter): void
  cancel(): void
} {
  const [bytes, setBytes] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  async function run(filter: ServerFilter): Promise<void> {
    const abort = new AbortController()
    running.current = abort
    setBytes(0)
    let come = 0
    const drawing = setInterval(() => setBytes(come), SHOW_EVERY_MS)
    try {
      const query = filter as Parameters<typeof download<typeof exportLogs>>[1]['query']
      const { file, name = ownName() } = await download(
        exportLogs,
        { query, signal: abort.signal },
        (bytes) => {
          come = bytes
        },
      )
      saveFile(file, name)
      toast({ text: words.done(name) })
    } catch (fault) {
      if (!abort.signal.aborted) refuse(fault, () => void run(filter))
    }
    clearInterval(drawing)
    setBytes(undefined)
  }

  return {
    bytes,
    start: (filter) => void run(filter),
    cancel: () => running.current?.abort(),
  }
}

function refuse(fault: unknown, again: () => void): void {
  console.error(`logs csv: ${String(fault)}`)
  // The end of the session shows its own message.
  if (fault instanceof CallFault && fault.status === 401) return
  toast({ text: words.failed, action: { label: text.retry, run: again } })
}

function ownName(): string {
  return `transaction-logs-${new Date().toISOString().slice(0, 10)}.csv`
}
