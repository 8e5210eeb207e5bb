import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { measureText, type TextMeasure } from '@sdd/sms/segments.ts'
import { send as words } from './text.ts'
import { Field } from '#console/ui/field.tsx'

/** Whether the text takes more segments than one message may have. */
export function isTooLong(message: string): boolean {
  return measureText(message).segments > MAX_SEGMENTS
}

export function MessageField({
  value,
  onChange,
  unfilled,
  note,
}: {
  value: string
  onChange: (value: string) => void
  /** Why the text cannot be sent as it is. */
  unfilled?: string | undefined
  note?: string | undefined
}) {
  const measure = measureText(value)
  const tooLong = measure.segments > MAX_SEGMENTS
  return (
    <Field
      label={words.message}
      hint={
        <>
          <Measure measure={measure} tooLong={tooLong} />
          {unfilled && <b className="block font-semibold text-warn">{unfilled}</b>}
          {note && <span className="block">{note}</span>}
        </>
      }
      error={tooLong || undefined}
    >
      {(ids) => (
        <textarea
          {...ids}
          rows={4}
          dir="auto"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-lg focus-visible:outline-offset-1 aria-invalid:border-bad-solid"
        />
      )}
    </Field>
  )
}

/** Shows the length of the text: characters, alphabet and segments, in all and at most. */
function Measure({ measure, tooLong }: { measure: TextMeasure; tooLong: boolean }) {
  const { encoding, segments, units, units_left, units_per_segment } = measure
  const room = tooLong ? MAX_SEGMENTS * units_per_segment : units + units_left
  return (
    <span className={`flex flex-wrap gap-x-2.5 ${tooLong ? 'text-bad' : ''}`}>
      <span>{words.characters(units, room)}</span>
      <span>{words.encodings[encoding]}</span>
      <span>{words.segments(segments)}</span>
      {tooLong && <b className="font-semibold">{words.tooLong(MAX_SEGMENTS)}</b>}
    </span>
  )
}
