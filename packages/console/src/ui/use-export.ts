import { CallFault } from '@sdd/contract/core/client.ts'
import { useEffect, useRef, useState } from 'react'
import { faults } from '#console/core/fault-text.ts'
import { text } from '#console/core/text.ts'
import { exporting as words } from '#console/ui/csv-text.ts'
import { saveFile } from '#console/ui/save-file.ts'
import type { SheetColumn } from '#console/ui/spreadsheet.ts'
import { toast } from '#console/ui/toast.tsx'

/** A file of the server: how to load it, and what its columns are for a spreadsheet. */
export type ExportSource = {
  load: (signal: AbortSignal, onBytes: (bytes: number) => void) => Promise<{ file: Blob; name: string }>
  columns: () => readonly SheetColumn[]
}

/** For programs, as the server sends it, or for a spreadsheet in the chosen language. */
export type CsvForm = 'machine' | 'sheet'

/** How often the progress is drawn, in ms. */
const SHOW_EVERY_MS = 100

/** Saves a file of the server. `bytes` is the progress, undefined without a download. */
export function useExport({ load, columns }: ExportSource): {
  bytes: number | undefined
  start(form: CsvForm): void
  cancel(): void
} {
  const [bytes, setBytes] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  async function run(form: CsvForm): Promise<void> {
    const abort = new AbortController()
    running.current = abort
    setBytes(0)
    let come = 0
    const drawing = setInterval(() => setBytes(come), SHOW_EVERY_MS)
    try {
      const loaded = await load(abort.signal, (bytes) => (come = bytes))
      const { file, name } = form === 'sheet' ? await forSpreadsheet(loaded, columns()) : loaded
      abort.signal.throwIfAborted()
      saveFile(file, name)
      toast({ text: words.done(name) })
    } catch (fault) {
      if (!abort.signal.aborted) refuse(fault, () => void run(form))
    }
    clearInterval(drawing)
    setBytes(undefined)
  }

  return { bytes, start: (form) => void run(form), cancel: () => running.current?.abort() }
}

async function forSpreadsheet(
  { file, name }: { file: Blob; name: string },
  columns: readonly SheetColumn[],
): Promise<{ file: Blob; name: string }> {
  const { toSpreadsheet } = await import('#console/ui/spreadsheet.ts')
  return {
    file: await toSpreadsheet(file, columns, words.form),
    name: name.replace(/\.csv$/, '-excel.csv'),
  }
}

function refuse(fault: unknown, again: () => void): void {
  console.error(`csv: ${String(fault)}`)
  const refusal = fault instanceof CallFault ? fault : undefined
  // The end of the session shows its own message.
  if (refusal?.status === 401) return
  const why = refusal && faults.refusal(refusal)
  toast({ text: why ? `${words.failed} ${why}` : words.failed, action: { label: text.retry, run: again } })
}
