import { text } from '#console/core/text.ts'

/** Fields for programs. They repeat a sentence that is shown. */
const FOR_PROGRAMS = /_(codes?|params|details)$/

type Label = (name: string) => string

/** `foldEmpty` names the part that holds the fields without a value; without it, they keep their places. */
export function RecordList({
  record,
  label = (name) => name,
  foldEmpty,
}: {
  record: Record<string, unknown>
  label?: Label
  foldEmpty?: (count: number) => string
}) {
  const shown = Object.entries(record).filter(([name]) => !FOR_PROGRAMS.test(name))
  const empty = foldEmpty ? shown.filter(([, value]) => isEmpty(value)) : []
  return (
    <>
      <Fields
        fields={empty.length > 0 ? shown.filter(([, value]) => !isEmpty(value)) : shown}
        label={label}
      />
      {empty.length > 0 && (
        <details className="mt-2 text-sm">
          <summary className="cursor-pointer text-muted max-md:py-3">{foldEmpty?.(empty.length)}</summary>
          <Fields fields={empty} label={label} />
        </details>
      )}
    </>
  )
}

function Fields({ fields, label }: { fields: readonly [string, unknown][]; label: Label }) {
  return (
    <dl className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
      {fields.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-3">
          <dt className="shrink-0 text-muted">{label(name)}</dt>
          <dd dir="auto" className="mono min-w-0 text-right break-words">
            {formatValue(value)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return value === '' ? text.none : String(value)
  if (value === null || value === undefined) return text.none
  if (typeof value === 'boolean') return value ? text.yes : text.no
  return JSON.stringify(value)
}
