import { useLanguage } from '#console/core/language.ts'
import { useLiveView } from '#console/core/live/live-context.ts'
import { live as words } from './text.ts'
import { useNow } from '#console/ui/ago.tsx'
import { ago } from '#console/ui/time.ts'

/** The last change is told from this age on: under load it would always be 0 s. */
const QUIET_SECS = 10

/** The state of the live connection: when the data last changed, and whether it may be stale. */
export function LiveLine() {
  const { state, changedAt, staleSince } = useLiveView()
  useLanguage()
  return (
    <p className="flex min-w-0 items-center gap-1.5 text-sm whitespace-nowrap text-muted max-md:text-rail-muted">
      <span className={`live-dot ${state}`} aria-hidden="true" />
      <output>{words[state]}</output>
      <span className="truncate max-md:hidden">
        {state === 'live' && changedAt !== undefined && (
          <Since label={words.lastChange} at={changedAt} fromSecs={QUIET_SECS} />
        )}
        {(state === 'reconnecting' || state === 'offline') && staleSince !== undefined && (
          <Since label={words.stale} at={staleSince} />
        )}
      </span>
    </p>
  )
}

function Since({ label, at, fromSecs = 0 }: { label: string; at: number; fromSecs?: number }) {
  const now = useNow()
  if (now - at < fromSecs * 1000) return null
  return (
    <>
      · {label} {ago(at, now)}
    </>
  )
}
