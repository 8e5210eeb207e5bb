import { text } from '#console/core/text.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { periods, type Period } from '#console/ui/period.ts'
import { Segmented } from '#console/ui/segmented.tsx'

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
      <Segmented
        label={text.period}
        choices={periods}
        labels={text.periods}
        pressed={period}
        onPress={(one) =>
          onChange({ period: one === period ? undefined : one, from: undefined, to: undefined })
        }
        className="self-end"
      />
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
