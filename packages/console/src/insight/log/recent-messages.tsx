import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { logs as words } from './text.ts'
import { messageTime, recentQuery, messageStateOf, type LogRow } from '#console/insight/log/log.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime } from '#console/ui/time.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'

/** The last messages of a device, loaded with the first opened details. */
export default function RecentMessages({ uid }: { uid: string }) {
  const { data, isError, refetch } = useQuery(recentQuery(uid))
  if (isError && !data) {
    return (
      <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
        {words.recentFailed}
      </Notice>
    )
  }
  if (!data) return <div aria-busy="true" />
  if (data.length === 0) return <p className="text-muted">{words.noRecent}</p>
  return (
    <ul>
      {data.map((row) => (
        <li key={row.id} className="flex gap-2.5 py-[1.5px] text-sm">
          <time
            dateTime={row.queue_timestamp}
            title={dayTime(row.queue_timestamp)}
            className="mono whitespace-nowrap text-muted"
          >
            {messageTime(row)}
          </time>
          <span>
            <StateMark row={row} /> <span className="mono ml-1">{row.message_to}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

function StateMark({ row }: { row: LogRow }) {
  const state = messageStateOf(row)
  const { mark, color } = messageStateMarks[state]
  return (
    <span className={`inline-block align-[-2px] ${color}`}>
      <MarkIcon mark={mark} label={words.states[state]} className="size-[13px]" />
    </span>
  )
}
