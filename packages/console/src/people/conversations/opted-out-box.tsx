import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRole } from '#console/core/use-role.ts'
import type { ConversationRef } from './conversations.ts'
import { optOutQuery } from './opt-out.ts'
import { conversations as words } from './text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'

/** Why nothing can be sent: since when the number is blocked, and what the person wrote. */
export function OptedOutBox({ of }: { of: ConversationRef }) {
  const manages = holds(useRole(), 'opt-outs:manage')
  const { data: optOut } = useQuery({ ...optOutQuery(of), enabled: manages })
  return (
    <div className="flex items-baseline gap-2.5 border-t border-line bg-sunken p-4 max-md:px-3">
      <span className="text-off">
        <MarkIcon mark="struck" />
      </span>
      <p className="min-w-0 flex-1">
        {optOut ? <TimedText>{words.blockedSince(optOut.created_at, optOut.text)}</TimedText> : words.blocked}{' '}
        {manages && (
          <Link
            to="/settings"
            search={{ tab: 'opt-outs', search: of.number }}
            className="font-semibold text-link underline underline-offset-2"
          >
            {words.seeOptOut}
          </Link>
        )}
      </p>
    </div>
  )
}
