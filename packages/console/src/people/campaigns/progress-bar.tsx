import type { CampaignCounts } from '@sdd/contract/people/campaigns.ts'
import { countIn, partNames, type Part } from './progress.ts'
import { campaigns as words } from './text.ts'
import { formatCount } from '#console/ui/numbers.ts'

export const partColors: Record<Part, string> = {
  delivered: 'bg-ok-solid',
  sent: 'bg-[color-mix(in_srgb,var(--color-ok-solid)_45%,var(--color-panel))]',
  failed: 'bg-bad-solid',
  uncertain: 'bg-warn',
  expired: 'bg-off-solid',
  cancelled: 'bg-[color-mix(in_srgb,var(--color-off-solid)_55%,var(--color-panel))]',
  handed: 'bg-info-solid',
  queue: 'bg-off-bg',
  skipped: 'border border-line-strong',
}

/** How far a campaign is, a part for each state. Rows that get no message are left out. The figures are words next to it. */
export function ProgressBar({ counts, className }: { counts: CampaignCounts; className: string }) {
  const filled = partNames.filter((part) => part !== 'skipped' && countIn(counts, part) > 0)
  return (
    <span aria-hidden="true" className={`flex gap-px overflow-hidden rounded-sm bg-off-bg ${className}`}>
      {filled.map((part) => (
        <i
          key={part}
          title={`${words.parts[part]}: ${formatCount(countIn(counts, part))}`}
          // Three uncertain messages of 100,000 are seen.
          className={`h-full min-w-[3px] ${partColors[part]}`}
          style={{ flex: `${countIn(counts, part)} 1 0` }}
        />
      ))}
    </span>
  )
}
