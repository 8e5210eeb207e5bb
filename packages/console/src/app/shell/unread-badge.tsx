import { useQuery } from '@tanstack/react-query'
import { unreadQuery } from '#console/people/conversations/conversations.ts'
import { menu as words } from './text.ts'
import { formatCount } from '#console/ui/numbers.ts'

/** The number of unread SMS, in the menu. Nothing if there are none. */
export default function UnreadBadge() {
  const { data } = useQuery(unreadQuery)
  if (!data || data.count === 0) return null
  const count = formatCount(data.count) + (data.more ? '+' : '')
  return (
    <span className="ml-auto text-sm font-semibold text-rail-ink tabular-nums md:max-lg:mx-auto">
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{words.unread(count)}</span>
    </span>
  )
}
