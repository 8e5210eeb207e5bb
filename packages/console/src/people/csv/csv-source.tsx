import { FileUp } from 'lucide-react'
import { useId, useRef, useState, type ReactNode } from 'react'
import {
  encodings,
  MAX_CSV_BYTES,
  MAX_CSV_COLUMNS,
  separators,
  type CsvEncoding,
  type CsvLayout,
  type CsvSeparator,
  type CsvTable,
} from './csv.ts'
import { csv as words } from './text.ts'
import type { Csv } from './use-csv.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, Select } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount, formatTenths } from '#console/ui/numbers.ts'

const MB = 1_000_000

/** Chooses a file, by a button or by dropping it here, and shows how it is read. `beside`: other ways to get rows. */
export function CsvSource({ csv, beside }: { csv: Csv; beside?: ReactNode }) {
  const { file, fault, reading, choose } = csv
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      {/* Dropping is a second way: the button is there for the keyboard. */}
      <div
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes('Files')) return
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          if (!event.dataTransfer.types.includes('Files')) return
          event.preventDefault()
          // A screen may take files anywhere; this one is taken here.
          event.stopPropagation()
          setOver(false)
          const dropped = event.dataTransfer.files[0]
          if (dropped) choose(dropped)
        }}
        className={`flex flex-wrap items-center gap-3 rounded-sm border border-dashed p-4 ${over ? 'border-focus bg-info-bg' : 'border-line-strong'}`}
      >
        <input
          ref={input}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          aria-label={words.file}
          tabIndex={-1}
          className="sr-only"
          onChange={({ target }) => {
            const chosen = target.files?.[0]
            // The same file can be chosen again, after it was corrected.
            target.value = ''
            if (chosen) choose(chosen)
          }}
        />
        <Button size="lg" tone={file ? 'plain' : 'primary'} onClick={() => input.current?.click()}>
          <FileUp className="size-4" aria-hidden="true" />
          {words.choose}
        </Button>
        {beside}
        <span className="min-w-0 flex-1 text-muted max-md:basis-full">{words.drop}</span>
      </div>
      <output className="empty:hidden">
        {reading
          ? words.reading
          : file?.table &&
            words.rows(file.name, formatCount(file.table.rows.length), file.table.titles.length)}
      </output>
      {fault && (
        <Notice tone="bad">
          {words.faults[fault.why](
            fault.name,
            formatTenths(fault.bytes / MB),
            String(fault.why === 'too_wide' ? MAX_CSV_COLUMNS : MAX_CSV_BYTES / MB),
          )}
        </Notice>
      )}
      {file && <Layout csv={csv} {...file.layout} />}
      {file?.table && <Findings {...file.table.findings} />}
    </div>
  )
}

function Layout({ csv: { relayout }, encoding, separator, titled }: { csv: Csv } & CsvLayout) {
  const id = useId()
  return (
    <fieldset className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <legend className="sr-only">{words.layout}</legend>
      <Field label={words.encoding}>
        {(ids) => (
          <Select
            {...ids}
            value={encoding}
            onChange={({ target }) => relayout({ encoding: target.value as CsvEncoding })}
          >
            {encodings.map((one) => (
              <option key={one} value={one}>
                {words.encodings[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={words.separator}>
        {(ids) => (
          <Select
            {...ids}
            value={separator}
            onChange={({ target }) => relayout({ separator: target.value as CsvSeparator })}
          >
            {separators.map((one) => (
              <option key={one} value={one}>
                {words.separators[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <label htmlFor={id} className="flex min-h-[34px] items-center gap-2.5 max-md:min-h-11">
        <input
          id={id}
          type="checkbox"
          className="size-[18px] shrink-0"
          checked={titled}
          onChange={() => relayout({ titled: !titled })}
        />
        {words.titled}
      </label>
    </fieldset>
  )
}

function Findings({ garbled, formulas, unclosed }: CsvTable['findings']) {
  return (
    <>
      {garbled && <Notice tone="warn">{words.garbled}</Notice>}
      {formulas > 0 && <Notice tone="warn">{words.formulas(formatCount(formulas))}</Notice>}
      {unclosed !== undefined && <Notice tone="warn">{words.unclosed(unclosed)}</Notice>}
    </>
  )
}
