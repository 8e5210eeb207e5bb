import { text } from '#console/core/text.ts'

/** Fields for programs. They repeat a sentence that is shown. */
const FOR_PROGRAMS = /_(codes?|params|details)$/

export function RecordList({
  record,
  label = (name) => name,
}: {
  record: Record<string, unknown>
  label?: (name: string) => string
}) {
  const shown = Object.entries(record).filter(([name]) => !FOR_PROGRAMS.test(name))
  return (
    <dl className="grid gap-1 text-sm">
      {shown.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-3">
          <dt className="shrink-0 text-muted">{label(name)}</dt>
          <dd className="mono min-w-0 text-right break-words">{formatValue(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return value === '' ? text.none : String(value)
  if (value === null || value === undefined) return text.none
  if (typeof value === 'boolean') return value ? text.yes : text.no
  return JSON.stringify(value)
}
