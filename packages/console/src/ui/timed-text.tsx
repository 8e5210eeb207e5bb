import { Fragment } from 'react'
import { dayTime, shortTime } from '#console/ui/time.ts'

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** A sentence whose times are marked up as times and shown in the browser's time zone. */
export function TimedText({ children }: { children: string }) {
  // Splitting by a capture group makes every second part a time.
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
