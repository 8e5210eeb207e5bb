import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { logs as words } from './text.ts'
import { messageQuery, messageTime, messageStateOf, type LogRow } from './log.ts'
import { searchForRef } from '#console/messages/messages/message-ref.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { dayTime } from '#console/ui/time.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'

/** Messages by their guids, with their live state. Those that are gone are left out. */
export default function SentMessages({ guids }: { guids: readonly string[] }) {
  const found = useQueries({
    queries: guids.map((guid) => messageQuery({ guid, company: undefined })),
    combine: (results) => results.flatMap(({ data }) => (data ? [data as LogRow] : [])),
  })
  return (
    <ul className="grid gap-2">
      {found.map((row) => (
        <li key={row.guid}>
          <SentMessage row={row} />
        </li>
      ))}
    </ul>
  )
}

function SentMessage({ row }: { row: LogRow }) {
  const state = messageStateOf(row)
  const { mark, color } = messageStateMarks[state]
  return (
    <Link
      to="/logs"
      search={searchForRef({ guid: row.guid, company: undefined })}
      className="panel block p-2.5 text-sm hover:border-line-strong"
    >
      <span className="flex items-center gap-2">
        <span className={`flex min-w-0 flex-1 items-center gap-1.5 font-semibold ${color}`}>
          <MarkIcon mark={mark} />
          {words.states[state]}
        </span>
        <time dateTime={row.queue_timestamp} title={dayTime(row.queue_timestamp)} className="text-muted">
          {messageTime(row)}
        </time>
      </span>
      <span className="mono mt-1 block break-all">
        {row.message_to} <span className="text-muted">· {row.device_guid}</span>
      </span>
      <span dir="auto" className="mt-0.5 block truncate text-muted">
        {row.message}
      </span>
    </Link>
  )
}
