import { useServerGone } from '#console/core/server-gone.ts'
import { useLiveView } from '#console/core/live/live-context.ts'
import { live as words } from './text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { clockTime } from '#console/ui/time.ts'

/** Says that the server is gone. Part of the shell, since nothing could be loaded then. */
export function ServerGone() {
  const gone = useServerGone()
  const { staleSince } = useLiveView()
  // Nothing at all otherwise: an empty alert would still be one.
  if (!gone || staleSince === undefined) return null
  return (
    <p
      role="alert"
      className="mb-3 flex items-center gap-2.5 bg-bad-bg px-6 py-2 font-medium text-bad max-md:mb-0 max-md:px-3"
    >
      <MarkIcon mark="cross" />
      <span>{words.gone(clockTime(staleSince))}</span>
    </p>
  )
}
