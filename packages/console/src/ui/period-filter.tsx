import { text } from '#console/core/text.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { periods, type Period } from '#console/ui/period.ts'

export type PeriodSearch = {
  period?: Period | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Buttons for usual periods, and two fields for any other. */
export function PeriodFilter({
  period,
  from,
  to,
  onChange,
}: PeriodSearch & { onChange: (next: PeriodSearch) => void }) {
  return (
    <>
      <fieldset
        aria-label={text.period}
        className="inline-flex self-end overflow-hidden rounded-sm border border-line bg-panel"
      >
        {periods.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === period}
            className="h-8 px-3 font-medium not-first:border-l not-first:border-line focus-visible:-outline-offset-3 aria-pressed:bg-ink aria-pressed:font-semibold aria-pressed:text-panel whitespace-nowrap max-md:h-11 max-md:flex-1"
            onClick={() =>
              onChange({ period: one === period ? undefined : one, from: undefined, to: undefined })
            }
          >
            {text.periods[one]}
          </button>
        ))}
      </fieldset>
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={text[name]} className="text-sm">
          {(ids) => (
            <TextInput
              {...ids}
              type="datetime-local"
              value={{ from, to }[name] ?? ''}
              onChange={(event) => onChange({ period: undefined, [name]: event.target.value || undefined })}
            />
          )}
        </Field>
      ))}
    </>
  )
}
