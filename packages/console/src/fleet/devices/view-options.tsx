import { devices as words } from './text.ts'
import { viewOptions } from './view-text.ts'
import { extraColumns, sortKeys, type ExtraColumn, type SortKey } from './search.ts'
import { Field, Select } from '#console/ui/field.tsx'

/** The order of the devices, and the columns that are added to those of the user specification. */
export default function ViewOptions({
  sort,
  desc,
  columns,
  onSort,
  onColumns,
}: {
  sort: SortKey
  desc: boolean
  columns: readonly ExtraColumn[]
  onSort: (sort: SortKey, desc: boolean) => void
  onColumns: (columns: ExtraColumn[]) => void
}) {
  return (
    <section
      aria-label={viewOptions.title}
      className="panel flex flex-wrap items-end gap-x-8 gap-y-3 px-3.5 py-3"
    >
      <Field label={viewOptions.order} className="max-md:w-full">
        {(ids) => (
          <Select
            {...ids}
            value={`${sort}${desc ? ' desc' : ''}`}
            onChange={(event) => {
              const [by, down] = event.target.value.split(' ')
              onSort(by as SortKey, down !== undefined)
            }}
          >
            {sortKeys.map((key) =>
              key === 'problems' ? (
                <option key={key} value={key}>
                  {viewOptions.problems}
                </option>
              ) : (
                ['', ' desc'].map((down) => (
                  <option key={key + down} value={key + down}>
                    {words.columns[key]} {down ? '↓' : '↑'}
                  </option>
                ))
              ),
            )}
          </Select>
        )}
      </Field>
      <fieldset className="min-w-0">
        <legend className="mb-1.5 font-semibold">{viewOptions.columns}</legend>
        <div className="flex flex-wrap gap-x-5">
          {extraColumns.map((column) => (
            <label key={column} className="flex min-h-[34px] items-center gap-2 max-md:min-h-11">
              <input
                type="checkbox"
                className="size-[18px]"
                checked={columns.includes(column)}
                onChange={(event) =>
                  // Keep the usual order, whatever was pressed first.
                  onColumns(
                    extraColumns.filter((one) =>
                      one === column ? event.target.checked : columns.includes(one),
                    ),
                  )
                }
              />
              {words.columns[column]}
            </label>
          ))}
        </div>
      </fieldset>
    </section>
  )
}
