import type { Change } from './entries.ts'
import { TimedText } from '#console/ui/timed-text.tsx'

/** `field: before → after`, one after the other. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  return changes.map(({ field, from, to }) => (
    <span key={field} className="change">
      <span className="mono text-muted">{field}: </span>
      <TimedText>{from}</TimedText>
      {' → '}
      <b>
        <TimedText>{to}</TimedText>
      </b>
    </span>
  ))
}
