import { Download, Sheet, X } from 'lucide-react'
import { Button } from '#console/ui/button.tsx'
import { exporting as words } from '#console/ui/csv-text.ts'
import { formatTenths } from '#console/ui/numbers.ts'
import { useExport, type ExportSource } from '#console/ui/use-export.ts'

/** Saves what matches the filter, for programs or for a spreadsheet. Shows the progress, and can cancel. */
export default function CsvButtons({ source }: { source: ExportSource }) {
  const { bytes, start, cancel } = useExport(source)
  return (
    <>
      <output className={bytes === undefined ? 'sr-only' : 'mono text-muted'}>
        {bytes === undefined ? '' : bytes === 0 ? words.started : words.progress(formatTenths(bytes / 1e6))}
      </output>
      {bytes === undefined ? (
        <span className="flex gap-2">
          <Button title={words.title} onClick={() => start('machine')}>
            <Download className="size-4" aria-hidden="true" />
            {words.start}
          </Button>
          <Button title={words.sheetTitle} onClick={() => start('sheet')}>
            <Sheet className="size-4" aria-hidden="true" />
            {words.sheet}
          </Button>
        </span>
      ) : (
        <Button square aria-label={words.cancel} title={words.cancel} onClick={cancel}>
          <X className="size-4" aria-hidden="true" />
        </Button>
      )}
    </>
  )
}
