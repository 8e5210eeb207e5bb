import { holds } from '@sdd/contract/core/roles.ts'
import { Link } from '@tanstack/react-router'
import type { GlobalSettings } from '#console/accounts/settings/settings.ts'
import { useRole } from '#console/core/use-role.ts'
import { useDashboard } from '#console/insight/dashboard/dashboard.ts'
import { menu } from './text.ts'
import { sending as words } from './sending-text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { shortTime } from '#console/ui/time.ts'

/** Says on every screen that nothing is sent: since when, who switched it off, and how many messages wait for it. */
export default function SendingOff({ settings }: { settings: GlobalSettings }) {
  const { sending_changed_at: at, sending_changed_by: by } = settings
  const { data } = useDashboard()
  const role = useRole()
  const waiting = data?.waiting.find(({ reason }) => reason === 'sending_off')?.count
  return (
    <p className="mb-3 flex items-center gap-2.5 bg-warn-bg px-6 py-2 font-medium text-warn max-md:mb-0 max-md:px-3">
      <span className="self-start pt-1">
        <MarkIcon mark="triangle" />
      </span>
      <span className="flex min-w-0 flex-wrap items-center gap-x-2">
        <span>{words.off(at ? shortTime(at) : undefined, by ?? undefined)}</span>
        {waiting !== undefined && waiting > 0 && <span>{words.waiting(formatCount(waiting))}</span>}
        {holds(role, 'settings:write') && (
          <Link to="/settings" className="inline-flex items-center underline max-md:min-h-11">
            {menu.settings}
          </Link>
        )}
      </span>
    </p>
  )
}
