import { Fragment } from 'react'
import { dayTime, shortTime } from '#console/ui/time.ts'

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** A sentence, the times in it as the screens write them: in the browser's zone, and known as times. */
export function TimedText({ children }: { children: string }) {
  // Split by a group, every second part is a time.
  return children.split(INSTANT).map((part, n) =>
    n % 2 === 0 ? (
      <Fragment key={n}>{part}</Fragment>
    ) : (
      <time key={n} dateTime={part} title={dayTime(part)} className="whitespace-nowrap">
        {shortTime(part)}
      </time>
    ),
  )
}
