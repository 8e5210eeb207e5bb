import type { CampaignTotals } from '@sdd/contract/people/campaigns.ts'
import { campaignFilters, type CampaignFilter } from './order.ts'
import { phaseLooks } from './phase-pill.tsx'
import { campaigns as words } from './text.ts'
import { Chip } from './chip.tsx'
import { stripLook } from '#console/ui/strip.ts'

const filters = Object.keys(campaignFilters) as CampaignFilter[]

const marks = {
  active: phaseLooks.running.mark,
  scheduled: phaseLooks.scheduled.mark,
  draft: phaseLooks.draft.mark,
  ended: phaseLooks.finished.mark,
} as const satisfies Record<CampaignFilter, string>

/** Filter buttons with the number of campaigns in each. */
export function CampaignFilters({
  totals,
  shown,
  onShow,
}: {
  /** Undefined until loaded. */
  totals: CampaignTotals | undefined
  shown: CampaignFilter | undefined
  onShow: (filter: CampaignFilter | undefined) => void
}) {
  const all = totals && Object.values(totals).reduce((sum, count) => sum + count, 0)
  const inFilter = (filter: CampaignFilter) =>
    totals && campaignFilters[filter].reduce((sum, state) => sum + totals[state], 0)
  return (
    <fieldset
      aria-label={words.filterLabel}
      className={`${stripLook.ofPhones} flex min-w-0 gap-1.5 max-md:-mx-3 max-md:px-3`}
    >
      <Chip label={words.all} count={all} pressed={shown === undefined} onPress={() => onShow(undefined)} />
      {filters.map((filter) => (
        <Chip
          key={filter}
          label={words.filters[filter]}
          mark={marks[filter]}
          count={inFilter(filter)}
          pressed={shown === filter}
          onPress={() => onShow(filter)}
        />
      ))}
    </fieldset>
  )
}
