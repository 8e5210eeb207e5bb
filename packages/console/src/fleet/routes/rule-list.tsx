import type { RouteList, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { CornerDownRight, GripVertical, Pencil } from 'lucide-react'
import { useRef } from 'react'
import { hiddenBy } from './hiding.ts'
import type { Group } from './groups.ts'
import type { Names } from './names.ts'
import { MatchParts, RuleOutcome } from './rule-parts.tsx'
import { routes as words } from './text.ts'
import { useMoving } from './use-moving.ts'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { useRowWalk } from '#console/ui/use-row-walk.ts'

const ROW =
  'grid grid-cols-[28px_28px_minmax(0,1fr)_minmax(0,220px)_44px] items-start gap-x-2 border-t border-line px-3 py-2.5 max-md:grid-cols-[44px_20px_minmax(0,1fr)_44px] max-md:pl-1'

/** The rules in order, and the last row, which is always there. */
export function RuleList({
  company,
  list,
  names,
  groups,
  winner,
  manages,
  onEdit,
}: {
  company: string | undefined
  list: RouteList
  names: Names
  groups: readonly Group[] | undefined
  /** The rule that decides about the tried message; null: none does. */
  winner: number | null | undefined
  manages: boolean
  onEdit: (id: number) => void
}) {
  const rows = useRef<HTMLOListElement>(null)
  const { routes } = list
  const moving = useMoving(rows, list, company)
  useRowWalk({
    list: rows,
    count: routes.length,
    walks: () => true,
    reveal: (index) => rows.current?.children[index]?.scrollIntoView({ block: 'nearest' }),
    copy: () => undefined,
  })
  return (
    <section aria-label={words.list} className="panel">
      <div
        aria-hidden="true"
        className={`${ROW} border-t-0! bg-sunken text-sm font-semibold text-muted max-md:hidden`}
      >
        <span />
        <span>#</span>
        <span>{words.columns.if}</span>
        <span>{words.columns.via}</span>
      </div>
      <ol ref={rows}>
        {routes.map((rule, place) => (
          <li
            key={rule.id}
            data-index={place}
            aria-current={winner === rule.id ? 'true' : undefined}
            className={`${ROW} aria-current:bg-info-bg aria-current:[box-shadow:inset_4px_0_0_var(--color-info)] data-[over]:border-t-accent data-[over]:border-t-2 ${rule.enabled ? '' : 'text-muted'}`}
            {...(manages && moving.row(place))}
            data-over={moving.over === place || undefined}
          >
            {manages ? (
              <button
                type="button"
                aria-label={words.move(place + 1)}
                aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
                className="grid h-7 cursor-grab touch-none place-items-center rounded-sm text-muted max-md:row-span-2 max-md:h-11"
                {...moving.handle(place)}
              >
                <GripVertical className="size-4" aria-hidden="true" />
              </button>
            ) : (
              <span />
            )}
            <b className="pt-0.5 tabular-nums">{place + 1}</b>
            <div className="min-w-0">
              <MatchParts match={rule.match} names={names} />
              <Below rule={rule} hidden={hiddenBy(routes, place)} />
            </div>
            <div className="min-w-0 max-md:col-start-3 max-md:pt-1">
              <RuleOutcome rule={rule} groups={groups} />
            </div>
            {manages && (
              <Button
                tone="ghost"
                size="sm"
                square
                data-opens
                aria-label={words.edit(place + 1)}
                onClick={() => onEdit(rule.id)}
                className="justify-self-end max-md:col-start-4 max-md:row-span-2 max-md:row-start-1"
              >
                <Pencil className="size-4" aria-hidden="true" />
              </Button>
            )}
          </li>
        ))}
        <li
          className={`${ROW} bg-sunken aria-current:bg-info-bg`}
          aria-current={winner === null ? 'true' : undefined}
        >
          <span />
          <CornerDownRight className="mt-0.5 size-4 text-muted" aria-hidden="true" />
          <div className="min-w-0">
            <b>{words.rest}</b>
            <p className="text-sm text-muted">{routes.length === 0 ? words.empty : words.restHint}</p>
          </div>
          <div className="min-w-0 max-md:col-start-3">
            <b>{words.all}</b>
            <p className="text-sm text-muted">{words.longestFree}</p>
          </div>
        </li>
      </ol>
    </section>
  )
}

function Below({ rule: { note, enabled }, hidden }: { rule: RouteRule; hidden: number | undefined }) {
  return (
    <>
      {note !== null && <p className="pt-1 text-sm wrap-anywhere text-muted">{note}</p>}
      {!enabled && (
        <p className="flex items-center gap-1.5 pt-1 text-sm text-muted">
          <MarkIcon mark="dash" />
          {words.off}
        </p>
      )}
      {enabled && hidden !== undefined && (
        <p className="flex items-center gap-1.5 pt-1 text-sm text-warn">
          <MarkIcon mark="triangle" />
          {words.hidden(hidden + 1)}
        </p>
      )}
    </>
  )
}
