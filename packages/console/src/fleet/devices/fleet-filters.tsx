import { Fragment } from 'react'
import { devices as words } from './text.ts'
import { fleetFilters, type FleetFilter } from './search.ts'
import { formatCount } from '#console/ui/numbers.ts'
import { stripLook } from '#console/ui/strip.ts'

const swatches: Record<FleetFilter, string> = {
  all: 'hidden',
  connected: 'size-[9px] rounded-full bg-ok-solid',
  disconnected: 'size-[9px] rounded-[1px] border-2 border-bad-solid',
  disabled: 'h-[3px] w-[9px] rounded-[1px] bg-off-solid',
  maintenance: 'h-[9px] w-[9px] border-x-[3px] border-off-solid',
  exhausted: 'size-[9px] bg-warn [clip-path:polygon(50%_0,100%_100%,0_100%)]',
  quarantined: 'size-[9px] bg-warn [clip-path:polygon(50%_0,100%_100%,0_100%)]',
}

const rare: readonly FleetFilter[] = ['maintenance', 'exhausted', 'quarantined']

/** Filter buttons with the number of devices in each state. The pressed one filters the table. */
export function FleetFilters({
  counts,
  shown,
  onShow,
}: {
  /** Undefined until loaded. */
  counts: Record<FleetFilter, number> | undefined
  shown: FleetFilter
  onShow: (filter: FleetFilter) => void
}) {
  // Most fleets have no such devices, so the filter is hidden without any.
  const offered = (filter: FleetFilter) =>
    !rare.includes(filter) || filter === shown || (counts?.[filter] ?? 0) > 0
  return (
    <fieldset
      aria-label={words.filterLabel}
      className={`${stripLook.ofPhones} flex min-w-0 gap-1.5 md:flex-wrap max-md:-mx-3 max-md:px-3`}
    >
      {fleetFilters.filter(offered).map((filter) => (
        <Fragment key={filter}>
          {/* These devices are among the connected and disconnected ones, too. */}
          {filter === 'disabled' && (
            <span className="ml-1 inline-flex shrink-0 items-center text-sm text-muted">{words.ofThem}</span>
          )}
          <button
            type="button"
            aria-pressed={filter === shown}
            onClick={() => onShow(filter)}
            className="inline-flex h-8 shrink-0 items-center gap-[7px] rounded-full border border-line bg-panel px-3 font-medium whitespace-nowrap hover:border-line-strong aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-panel max-md:h-11 max-md:px-4"
          >
            <i className={swatches[filter]} aria-hidden="true" />
            {words.filters[filter]} {counts && <b className="font-bold">{formatCount(counts[filter])}</b>}
          </button>
        </Fragment>
      ))}
    </fieldset>
  )
}
