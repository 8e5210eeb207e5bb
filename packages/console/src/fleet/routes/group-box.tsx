import { Link } from '@tanstack/react-router'
import type { Group } from './groups.ts'
import { groupName } from './names.ts'
import { routes as words } from './text.ts'
import { Box } from '#console/ui/box.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** The groups of devices, with how many of each are connected. */
export function GroupBox({ groups }: { groups: readonly Group[] }) {
  return (
    <Box title={words.groups} beside={words.groupsHint}>
      <ul>
        {groups.map((group) => {
          const name = groupName(group.tag)
          return (
            <li
              key={group.tag ?? ''}
              className="flex min-h-9 items-center gap-3 border-t border-line max-md:min-h-11"
            >
              <b className="min-w-0 flex-1 truncate">{name}</b>
              <span
                className={`flex items-center gap-1.5 tabular-nums ${group.connected === 0 ? 'font-semibold text-bad' : ''}`}
              >
                {group.connected === 0 && <MarkIcon mark="square" />}
                {words.connected(formatCount(group.connected), formatCount(group.total))}
              </span>
              <Link
                to="/devices"
                search={{ tag: group.tag ?? undefined }}
                aria-label={words.see(name)}
                className="text-link underline max-md:inline-flex max-md:min-h-11 max-md:items-center"
              >
                {words.seeShort}
              </Link>
            </li>
          )
        })}
      </ul>
    </Box>
  )
}
