import { Download, X } from 'lucide-react'
import { exporting as words } from './export-text.ts'
import { useExport } from './export.ts'
import type { ServerFilter } from './search.ts'
import { Button } from '#console/ui/button.tsx'
import { formatTenths } from '#console/ui/numbers.ts'

/** Exports the filtered messages. During the download it shows the progress and can cancel. */
export function ExportButton({ filter }: { filter: ServerFilter }) {
  const { bytes, start, cancel } = useExport()
  return (
    <>
      <output className={bytes === undefined ? 'sr-only' : 'mono text-muted'}>
        {bytes === undefined ? '' : bytes === 0 ? words.started : words.progress(formatTenths(bytes / 1e6))}
      </output>
      {bytes === undefined ? (
        <Button title={words.title} onClick={() => start(filter)}>
          <Download className="size-4" aria-hidden="true" />
          {words.start}
        </Button>
      ) : (
        <Button square aria-label={words.cancel} title={words.cancel} onClick={cancel}>
          <X className="size-4" aria-hidden="true" />
        </Button>
      )}
    </>
  )
}
