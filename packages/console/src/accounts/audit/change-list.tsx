import type { FieldChange } from './entries.ts'
import { TimedText } from '#console/ui/timed-text.tsx'

/** Each change as `field: before → after`; with `boxed`, each in its own box. */
export function ChangeList({ changes, boxed = false }: { changes: readonly FieldChange[]; boxed?: boolean }) {
  return changes.map(({ name, field, from, to }) => (
    <span
      key={name}
      className={
        boxed
          ? 'rounded-sm border border-line bg-sunken px-3 py-2 wrap-anywhere'
          : "not-first:before:text-muted not-first:before:content-['_·_']"
      }
    >
      <span className={field === name ? 'mono text-muted' : 'text-muted'}>{field}: </span>
      <TimedText>{from}</TimedText>
      {' → '}
      <b className={boxed ? undefined : 'font-semibold'}>
        <TimedText>{to}</TimedText>
      </b>
    </span>
  ))
}
