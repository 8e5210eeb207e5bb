import type { CsvTable } from './csv.ts'
import { fieldChoice, fieldName, fieldOf, SKIPPED, type ColumnChoice } from './mapping.ts'
import { csv as words } from './text.ts'
import { Select } from '#console/ui/field.tsx'

/** A part of a row that a column can give, with its name on the screen. */
export type NamedTarget = { key: string; label: string }

const EXAMPLES = 3

/** Each column with examples of its contents, and what it gives. A target that another column gave leaves it. */
export default function ColumnList({
  table,
  targets,
  fields = [],
  choices,
  onChange,
}: {
  table: CsvTable
  targets: readonly NamedTarget[]
  /** Fields that any column may give, whatever its title. */
  fields?: readonly string[]
  choices: readonly ColumnChoice[]
  onChange: (choices: ColumnChoice[]) => void
}) {
  function choose(column: number, choice: ColumnChoice): void {
    onChange(
      choices.map((other, n) => {
        if (n === column) return choice
        return choice !== SKIPPED && other === choice ? SKIPPED : other
      }),
    )
  }

  return (
    <ul className="flex max-h-96 flex-col overflow-y-auto border-t border-line">
      {table.titles.map((title, column) => {
        const name = title === '' ? words.column(column + 1) : title
        return (
          <li
            key={column}
            className="grid grid-cols-3 items-center gap-x-3 border-b border-line py-1.5 max-md:grid-cols-1 max-md:py-2.5"
          >
            <span lang={title === '' ? undefined : ''} className="truncate font-medium" title={name}>
              {name}
            </span>
            <Examples table={table} column={column} />
            <Select
              aria-label={words.gives(name)}
              value={choices[column] ?? SKIPPED}
              onChange={({ target }) => choose(column, target.value)}
            >
              <option value={SKIPPED}>{words.skipped}</option>
              {targets.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
              <FieldOptions choices={choices} column={column} name={name} fields={fields} />
            </Select>
          </li>
        )
      })}
    </ul>
  )
}

function Examples({ table, column }: { table: CsvTable; column: number }) {
  const found = examplesOf(table, column)
  // The language of a file is unknown.
  return (
    <span lang={found === '' ? undefined : ''} className="truncate text-sm text-muted">
      {found || words.noExamples}
    </span>
  )
}

/** The field of the column, which is the chosen one or one named like its title, and the fields asked for. */
function FieldOptions({
  choices,
  column,
  name,
  fields,
}: {
  choices: readonly ColumnChoice[]
  column: number
  name: string
  fields: readonly string[]
}) {
  const taken = new Set(choices.flatMap((choice, n) => (n === column ? [] : (fieldOf(choice) ?? []))))
  const chosen = fieldOf(choices[column] ?? SKIPPED)
  const own = chosen !== undefined && !fields.includes(chosen) ? chosen : fieldName(name, taken)
  return [...new Set([own, ...fields])].map((field) => (
    <option key={field} value={fieldChoice(field)}>
      {words.field(field)}
    </option>
  ))
}

function examplesOf({ rows }: CsvTable, column: number): string {
  const found: string[] = []
  for (const { cells } of rows) {
    const cell = cells[column] ?? ''
    if (cell !== '' && found.push(cell.slice(0, 60)) === EXAMPLES) break
  }
  return found.join(' · ')
}
