import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CsvRow } from '#console/people/csv/csv.ts'
import type { ColumnChoice } from '#console/people/csv/mapping.ts'
import { text } from '#console/core/text.ts'
import { contactOf, type ForAll, type RefusedRow } from './import-rows.ts'
import { contactImport as words } from './import-text.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { saveFile } from '#console/ui/save-file.ts'

const FIRST_ROWS = 5
const MOST_SHOWN = 100

const cell = 'max-w-48 truncate border-b border-line px-2 py-1.5 text-left align-top'

/** A table in a scroller of its own. The language of a file's cells is unknown. */
function Scroller({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows scrolling by keyboard
    <fieldset aria-label={label} tabIndex={0} className="relative max-h-96 w-full min-w-0 overflow-auto">
      {children}
    </fieldset>
  )
}

/** The first rows as contacts. */
export function ImportPreview({
  rows,
  choices,
  forAll,
  refused,
}: {
  rows: readonly CsvRow[]
  choices: readonly ColumnChoice[]
  forAll: ForAll
  refused: readonly RefusedRow[]
}) {
  const first = rows.slice(0, FIRST_ROWS)
  const reasons = new Map(refused.slice(0, FIRST_ROWS).map(({ row, reason }) => [row, reason]))
  const hasReasons = first.some((row) => reasons.has(row))
  return (
    <Box title={words.preview}>
      <Scroller label={words.preview}>
        <table className="w-full text-sm">
          <thead>
            <tr>
              <th className={cell}>{words.line}</th>
              <th className={cell}>{words.targets.number}</th>
              <th className={cell}>{words.targets.name}</th>
              <th className={cell}>{words.targets.lists}</th>
              <th className={cell}>{words.fields}</th>
              <th className={cell}>{words.consent}</th>
              {hasReasons && <th className={cell}>{words.problem}</th>}
            </tr>
          </thead>
          <tbody>
            {first.map((row) => {
              const { number, name, lists, fields, consent } = contactOf(row, choices, forAll)
              const reason = reasons.get(row)
              return (
                <tr key={row.line}>
                  <td className={`${cell} text-muted`}>{row.line}</td>
                  <td lang="" className={`${cell} mono`}>
                    {number || text.none}
                  </td>
                  <td lang="" className={cell}>
                    {name || text.none}
                  </td>
                  <td lang="" className={cell}>
                    {lists?.join(', ') ?? text.none}
                  </td>
                  <td lang="" className={cell}>
                    {Object.entries(fields ?? {}).map(([field, value]) => (
                      <span key={field} className="mr-2">
                        <span className="text-muted">{field}:</span> {value}
                      </span>
                    ))}
                  </td>
                  <td lang="" className={cell}>
                    {consent?.how ?? text.none}
                  </td>
                  {hasReasons && (
                    <td className={`${cell} max-w-none min-w-52 whitespace-normal text-bad`}>
                      {reason && words.reasons[reason]}
                    </td>
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroller>
    </Box>
  )
}

/** The first of the rows that were not imported, with the reasons. All of them can be saved as a file. */
export function RefusedRows({
  refused,
  titles,
}: {
  refused: readonly RefusedRow[]
  titles: readonly string[]
}) {
  return (
    <div className="flex flex-col items-start gap-3">
      <Scroller label={words.refused}>
        <table className="w-full text-sm">
          <thead>
            <tr>
              <th className={cell}>{words.line}</th>
              <th className={cell}>{words.targets.number}</th>
              <th className={cell}>{words.reason}</th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, MOST_SHOWN).map(({ row, number, reason }) => (
              <tr key={row.line}>
                <td className={`${cell} text-muted`}>{row.line}</td>
                <td lang="" className={`${cell} mono`}>
                  {number || text.none}
                </td>
                <td className={`${cell} max-w-none whitespace-normal`}>{words.reasons[reason]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      {refused.length > MOST_SHOWN && (
        <p className="text-sm text-muted">
          {words.refusedShown(formatCount(MOST_SHOWN), formatCount(refused.length))}
        </p>
      )}
      <Button onClick={() => void saveRefused(refused, titles)}>
        <Download className="size-4" aria-hidden="true" />
        {words.saveRefused}
      </Button>
    </div>
  )
}

/** Saves the rows as they were in the file, with the reason, so that they can be corrected and imported. */
async function saveRefused(refused: readonly RefusedRow[], titles: readonly string[]): Promise<void> {
  const { writeCsv } = await import('#console/people/csv/parse.ts')
  const file = writeCsv([
    [...titles, OUR_COLUMNS.line, OUR_COLUMNS.reason],
    ...refused.map(({ row, reason }) => [
      ...titles.map((_, column) => row.cells[column] ?? ''),
      String(row.line),
      words.reasons[reason],
    ]),
  ])
  saveFile(file, words.refusedName)
}

/** These titles tell the import that the columns are no data. */
const OUR_COLUMNS = { line: 'row', reason: 'reason' }
