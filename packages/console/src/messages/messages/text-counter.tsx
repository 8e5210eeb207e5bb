import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { lettersBeyondGsm, measureText } from '@sdd/sms/segments.ts'
import { counter as words } from './counter-text.ts'

/** Characters, encoding and segments. It says which letter changed the encoding. */
export function TextCounter({ text }: { text: string }) {
  const { encoding, segments, units, units_left, units_per_segment } = measureText(text)
  const tooLong = segments > MAX_SEGMENTS
  const room = tooLong ? MAX_SEGMENTS * units_per_segment : units + units_left
  const letter = encoding === 'ucs2' && lettersBeyondGsm(text)[0]
  return (
    <span
      className={`flex min-w-0 flex-wrap gap-x-2.5 text-sm tabular-nums ${tooLong ? 'text-bad' : letter ? 'text-warn' : 'text-muted'}`}
    >
      <span>{words.characters(units, room)}</span>
      <span>{letter ? words.becomes(letter) : words.encodings[encoding]}</span>
      <b className="font-semibold">{words.segments(segments)}</b>
      {tooLong && <b className="font-semibold">{words.tooLong(MAX_SEGMENTS)}</b>}
    </span>
  )
}
