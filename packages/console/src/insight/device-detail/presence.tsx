import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { text } from '#console/core/text.ts'
import { connectedShare, daysOf, fallsOf, shownShare, type Day, type Fall } from './days.ts'
import { historyQuery, REFRESH_MS } from './device-detail.ts'
import { deviceDetail as words } from './text.ts'
import { Notice } from '#console/ui/notice.tsx'
import { formatPercent } from '#console/ui/numbers.ts'
import { dayName, formatDuration, hourTime } from '#console/ui/time.ts'

/** How steady a device was: a cell for each of the last 30 days. Pressing one lists when it was away on that day. */
export function DevicePresence({ uid, status }: { uid: string; status: string }) {
  const { data, isError, refetch } = useQuery({
    ...historyQuery(uid, status, '30d'),
    select: ({ presence }) => presence,
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  })
  const [chosen, setChosen] = useState<number>()
  if (isError && !data) {
    return (
      <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
        {words.historyFailed}
      </Notice>
    )
  }
  if (!data) return <div className="h-16" aria-busy="true" />
  // The server tells the presence until now.
  const days = daysOf(data, Date.parse(data.at(-1)?.to ?? ''))
  const share = connectedShare(days)
  if (share === undefined) return <p className="text-muted">{words.noHistory}</p>
  const falls = fallsOf(data)
  const day = days.find(({ start }) => start === chosen)
  return (
    <div className="grid grid-cols-[auto_1fr_auto] items-start gap-x-5 gap-y-2 max-md:grid-cols-2">
      <p>
        <b className="block text-lg leading-6 font-bold tabular-nums">{formatPercent(shownShare(share))}</b>
        <span className="text-sm text-muted">{words.connectedShare}</span>
      </p>
      <div className="max-md:order-last max-md:col-span-2">
        <ul
          aria-label={words.days}
          className="grid auto-cols-fr grid-flow-col gap-0.5 max-md:grid-flow-row max-md:grid-cols-7"
        >
          {days.map((each) => (
            <li key={each.start}>
              <Cell
                day={each}
                pressed={each === day}
                onPress={() => setChosen(each === day ? undefined : each.start)}
              />
            </li>
          ))}
        </ul>
        <Dates days={days} />
      </div>
      <p className="text-right">
        <b className="block text-lg leading-6 font-bold tabular-nums">{words.falls(falls.length)}</b>
        <span className="text-sm text-muted">{longestOf(falls)}</span>
      </p>
      {day && (
        <section aria-label={dayName(day.start)} className="col-span-full order-last">
          <h3 className="font-semibold">{dayName(day.start)}</h3>
          {day.falls.length === 0 ? (
            <p className="text-muted">{words.noFalls}</p>
          ) : (
            <ul className="tabular-nums">
              {day.falls.map(({ from, to }) => (
                <li key={from}>
                  {words.away(hourTime(from), hourTime(to))}{' '}
                  <span className="text-muted">· {formatDuration((to - from) / 1000)}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </div>
  )
}

/** The date below each seventh cell, and where today is. A phone, with its weeks below each other, has the first and the last. */
function Dates({ days }: { days: readonly Day[] }) {
  return (
    <div
      aria-hidden="true"
      className="mt-1 grid auto-cols-[minmax(0,1fr)] grid-flow-col gap-0.5 text-xs text-muted tabular-nums max-md:flex max-md:justify-between"
    >
      {days.map(({ start }, n) => {
        const isLast = n === days.length - 1
        return (
          <span
            key={start}
            className={`whitespace-nowrap ${isLast ? 'justify-self-end' : n > 0 ? 'max-md:hidden' : ''}`}
          >
            {isLast ? words.todayCell : n % 7 === 0 && n < days.length - 4 && dayName(start)}
          </span>
        )
      })}
    </div>
  )
}

/** Red from the foot: the share of the known time in which it was away. */
function Cell({ day, pressed, onPress }: { day: Day; pressed: boolean; onPress: () => void }) {
  const known = day.connected + day.away
  const share = known === 0 ? undefined : day.connected / known
  const said = share === undefined ? words.unknownDay : words.dayShare(formatPercent(shownShare(share)))
  return (
    <button
      type="button"
      aria-pressed={pressed}
      title={`${dayName(day.start)}: ${said}`}
      aria-label={`${dayName(day.start)}: ${said}`}
      onClick={onPress}
      className="flex h-[26px] w-full flex-col justify-end gap-px overflow-clip rounded-[2px] aria-pressed:outline-2 aria-pressed:outline-offset-1 aria-pressed:outline-ink max-md:h-11"
    >
      {share === undefined ? (
        <span className="block h-full w-full rounded-[2px] border border-dashed border-line-strong" />
      ) : (
        <>
          {day.connected > 0 && <span className="block w-full flex-1 bg-ok-solid" />}
          {day.away > 0 && (
            <span
              className="block min-h-[3px] w-full shrink-0 bg-bad-solid"
              style={{ height: `${(1 - share) * 100}%` }}
            />
          )}
        </>
      )}
    </button>
  )
}

function longestOf(falls: readonly Fall[]): string {
  if (falls.length === 0) return words.neverFell
  const longest = falls.reduce((one, other) => (other.to - other.from > one.to - one.from ? other : one))
  return words.longest(formatDuration((longest.to - longest.from) / 1000), dayName(longest.from))
}
