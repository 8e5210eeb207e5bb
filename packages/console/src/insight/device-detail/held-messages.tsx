import type { HeldMessage } from '@sdd/contract/insight/device-detail.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { detailQuery } from './device-detail.ts'
import { deviceDetail as words } from './text.ts'
import { logs } from '#console/insight/log/text.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'
import { waiting } from '#console/messages/waiting/text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'

/** More would push everything else off the page. */
const SHOWN = 5

/** The unfinished messages that a device has or that wait for it, each with its reason. */
export function HeldMessages({ uid }: { uid: string }) {
  const { data } = useQuery(detailQuery(uid))
  if (!data) return null
  const { holds } = data
  if (holds.length === 0) return <p className="text-muted">{words.holdsNothing}</p>
  return (
    <>
      <ul className="flex flex-col gap-1.5">
        {holds.slice(0, SHOWN).map((held) => (
          <Held key={held.guid} held={held} />
        ))}
      </ul>
      {holds.length > SHOWN && (
        <Link
          to="/logs"
          search={{ device_uid: uid, state: 'queued,handed' }}
          className="mt-1 inline-flex min-h-6 items-center text-link underline max-md:min-h-11"
        >
          {words.moreHeld(holds.length - SHOWN)}
        </Link>
      )}
    </>
  )
}

function Held({ held }: { held: HeldMessage }) {
  const { mark, color } = messageStateMarks[held.state]
  const why = waiting.sentence(held)
  return (
    <li className="text-sm">
      <span className={`mr-1.5 inline-block align-[-2px] ${color}`}>
        <MarkIcon mark={mark} label={logs.states[held.state]} className="size-[13px]" />
      </span>
      <Link
        to="/logs"
        search={{ search: held.guid }}
        className="mono inline-flex min-h-6 items-center text-link underline max-md:min-h-11"
      >
        {held.to}
      </Link>
      {why !== undefined && (
        <span className="block text-muted">
          <TimedText>{why}</TimedText>
        </span>
      )}
    </li>
  )
}
