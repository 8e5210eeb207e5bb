import type { RouteMatch, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { Fragment } from 'react'
import { isDown, type Group } from './groups.ts'
import { groupName, type Names, otherwiseOf, partsOf } from './names.ts'
import { routes as words } from './text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { formatDuration } from '#console/ui/time.ts'

/** What the message is, as the beginning of a sentence. */
export function MatchParts({ match, names }: { match: RouteMatch; names: Names }) {
  const parts = partsOf(match, names)
  if (parts.length === 0) return <b>{words.anything}</b>
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
      {parts.map(({ field, label, values }, n) => (
        <Fragment key={field}>
          {n > 0 && <span className="text-sm text-muted">{words.and}</span>}
          <span className="rounded-sm border border-line bg-sunken px-2 py-px wrap-anywhere">
            <span className="pr-1.5 text-muted">{label}</span>
            <b className="font-semibold tabular-nums">{values}</b>
          </span>
        </Fragment>
      ))}
    </p>
  )
}

/** By which group it leaves, and what happens if no device there can send. */
export function RuleOutcome({ rule, groups }: { rule: RouteRule; groups: readonly Group[] | undefined }) {
  const other = otherwiseOf(rule)
  if (other.kind === 'refused')
    return (
      <b className="flex items-center gap-1.5 text-bad">
        <MarkIcon mark="struck" />
        {words.refused}
      </b>
    )
  return (
    <>
      <GroupMark name={groupName(rule.via)} down={isDown(groups, rule.via)} />
      <p className="text-sm text-muted">
        {other.kind === 'anyone' ? (
          words.longestFree
        ) : other.kind === 'other' ? (
          <>
            {words.otherwise} <b className="font-semibold text-ink">{other.group}</b>
            {other.after_secs > 0 && ` ${words.after(formatDuration(other.after_secs))}`}
          </>
        ) : (
          <>
            <b className="font-semibold text-bad">{words.never}</b>{' '}
            {other.kind === 'never' ? words.neverWaits : words.neverRefused}
          </>
        )}
      </p>
    </>
  )
}

function GroupMark({ name, down }: { name: string; down: boolean }) {
  return (
    <b className={`flex items-center gap-1.5 wrap-anywhere ${down ? 'text-bad' : ''}`}>
      {down && <MarkIcon mark="square" />}
      {name}
    </b>
  )
}
