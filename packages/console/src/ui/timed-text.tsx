import { Fragment } from 'react'
import { dayTime, shortTime, splitAtTimes } from '#console/ui/time.ts'

/** A sentence whose times are marked up as times and shown in the browser's time zone. */
export function TimedText({ children }: { children: string }) {
  return splitAtTimes(children).map((part, n) =>
    n % 2 === 0 ? (
      <Fragment key={n}>{part}</Fragment>
    ) : (
      <time key={n} dateTime={part} title={dayTime(part)} className="whitespace-nowrap">
        {shortTime(part)}
      </time>
    ),
  )
}
