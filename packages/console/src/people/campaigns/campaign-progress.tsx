import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import { campaignPage as words } from './page-text.ts'
import { partColors, ProgressBar } from './progress-bar.tsx'
import { beginOf, countIn, progressOf, shownParts, type Part } from './progress.ts'
import { campaigns as listWords } from './text.ts'
import { dayAndHour } from './when.ts'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'

/** How far the campaign is: a bar, and a legend whose parts filter the table. */
export function CampaignProgress({
  campaign,
  shown,
  onShow,
}: {
  campaign: CampaignDetail
  shown: Part | undefined
  onShow: (part: Part | undefined) => void
}) {
  const { counts } = campaign
  const { done, total } = progressOf(campaign)
  return (
    <section aria-label={words.progress} className="panel flex flex-col gap-2.5 px-4 py-3.5 max-md:px-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <b className="font-bold tabular-nums">{words.done(formatPercent(total === 0 ? 0 : done / total))}</b>
        <span className="min-w-0 text-sm wrap-anywhere text-muted">{aboutText(campaign)}</span>
      </p>
      <ProgressBar counts={counts} className="h-4 w-full" />
      <ul className="-mx-2 flex flex-wrap gap-x-1">
        {shownParts(counts).map((part) => (
          <li key={part}>
            <button
              type="button"
              aria-pressed={part === shown}
              onClick={() => onShow(part === shown ? undefined : part)}
              className="inline-flex h-7 items-center gap-2 rounded-sm border border-transparent px-2 hover:bg-sunken aria-pressed:border-line-strong aria-pressed:bg-off-bg max-md:h-11"
            >
              <i
                className={`size-2.5 shrink-0 rounded-[2px] outline-1 -outline-offset-1 outline-line-strong/40 ${partColors[part]}`}
              />
              {listWords.parts[part]}{' '}
              <b className="font-bold tabular-nums">{formatCount(countIn(counts, part))}</b>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Since when it runs, for which lists, and with which fields. */
function aboutText(campaign: CampaignDetail): string {
  const { lists, text, via } = campaign
  const began = beginOf(campaign)
  const fields = [...new Set(text.match(/\{\{[^{}]+\}\}/g))]
  return [
    began !== undefined && campaign.state !== 'scheduled' && words.since(dayAndHour(began, Date.now())),
    via !== null && words.withTag(via),
    lists.length > 0 && words.withLists(lists.join(', ')),
    fields.length > 0 && words.withFields(fields.join(', ')),
  ]
    .filter(Boolean)
    .join(' · ')
}
