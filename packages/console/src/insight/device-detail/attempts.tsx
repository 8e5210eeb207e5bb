import type { DeviceAttempt } from '@sdd/contract/insight/device-detail.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { detailQuery } from './device-detail.ts'
import { deviceDetail as words } from './text.ts'
import { refOf, searchForRef } from '#console/messages/messages/message-ref.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { dayTime, shortTime } from '#console/ui/time.ts'

/** More would push everything else off the page. */
const SHOWN = 8

const marks: Record<DeviceAttempt['state'], { mark: Mark; color: string }> = {
  given: { mark: 'arc', color: 'text-info' },
  accepted: { mark: 'dot', color: 'text-info' },
  sent: { mark: 'check', color: 'text-ok' },
  delivered: { mark: 'double-check', color: 'text-ok' },
  undelivered: { mark: 'cross', color: 'text-bad' },
  failed: { mark: 'cross', color: 'text-bad' },
}

/** The latest attempts to send by a device, each with its outcome and code. */
export default function DeviceAttempts({ uid }: { uid: string }) {
  const { data } = useQuery(detailQuery(uid))
  const [all, setAll] = useState(false)
  if (!data) return null
  const { attempts } = data
  if (attempts.length === 0) return <p className="text-muted">{words.noAttempts}</p>
  return (
    <>
      <ul className="[&>li+li]:border-t [&>li+li]:border-line">
        {(all ? attempts : attempts.slice(0, SHOWN)).map((attempt) => (
          <Attempt key={`${attempt.company_id} ${attempt.guid} ${attempt.attempt}`} attempt={attempt} />
        ))}
      </ul>
      {!all && attempts.length > SHOWN && (
        <Button tone="ghost" className="mt-1 self-start underline" onClick={() => setAll(true)}>
          {words.moreAttempts(attempts.length - SHOWN)}
        </Button>
      )}
    </>
  )
}

function Attempt({ attempt }: { attempt: DeviceAttempt }) {
  const { given_at, to, state, code, detail } = attempt
  const { mark, color } = marks[state]
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 py-1.5 text-sm">
      <time dateTime={given_at} title={dayTime(given_at)} className="mono min-w-[9ch] text-muted">
        {shortTime(given_at)}
      </time>
      <Link
        to="/logs"
        search={searchForRef(refOf(attempt))}
        className="mono inline-flex min-h-6 min-w-[13ch] items-center text-link underline max-md:min-h-11"
      >
        {to}
      </Link>
      <span className={`inline-flex min-w-[17ch] items-center gap-1.5 font-medium ${color}`}>
        <MarkIcon mark={mark} className="size-[13px]" />
        {words.attemptStates[state]}
      </span>
      <span className="min-w-0 flex-1 break-words text-muted">
        {code !== null && <Cause code={code} />}
        {detail && ` · ${outcomes.quoted(detail)}`}
      </span>
      {attempt.attempt > 1 && <span className="text-muted">{words.attempt(attempt.attempt)}</span>}
    </li>
  )
}

/** The code itself is what the log can be filtered by. */
function Cause({ code }: { code: string }) {
  const cause = outcomes.cause(code)
  return (
    <>
      {cause} {!cause.includes(code) && <code className="mono text-xs">{code}</code>}
    </>
  )
}
