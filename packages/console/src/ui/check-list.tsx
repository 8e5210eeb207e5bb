import { useId } from 'react'

/** Checkboxes for a few options, each with its word and its code. */
export function CheckList<Option extends string>({
  label,
  options,
  words,
  chosen,
  fault,
  onChange,
}: {
  label: string
  options: readonly Option[]
  words: Record<Option, string>
  chosen: readonly Option[]
  /** The error in the choice; `true` if it is explained elsewhere. */
  fault?: string | true
  onChange: (chosen: readonly Option[]) => void
}) {
  const faultId = useId()
  return (
    <fieldset aria-describedby={fault && faultId} className="flex flex-col">
      <legend className="mb-1 font-semibold">{label}</legend>
      {options.map((one) => (
        <label key={one} className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
          <input
            type="checkbox"
            className="size-[18px] shrink-0"
            aria-invalid={fault ? true : undefined}
            checked={chosen.includes(one)}
            onChange={(event) =>
              // Keep the order of the options, whatever was pressed first.
              onChange(
                options.filter((other) => (other === one ? event.target.checked : chosen.includes(other))),
              )
            }
          />
          <span className="min-w-0 flex-1">{words[one]}</span>
          <code aria-hidden="true" className="mono text-muted">
            {one}
          </code>
        </label>
      ))}
      {typeof fault === 'string' && (
        <p id={faultId} className="text-sm font-medium text-bad">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
