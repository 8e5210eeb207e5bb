import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import type { ReactNode } from 'react'
import { noteOf } from './note.ts'
import { campaignPage as words } from './page-text.ts'
import { beginOf, lastHanded, MANY_FAILED, moveOf, progressOf } from './progress.ts'
import { campaigns as listWords } from './text.ts'
import { dayOf, hourBeside, spanText } from './when.ts'
import { useNow } from '#console/ui/ago.tsx'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'
import { hourTime } from '#console/ui/time.ts'

/** How far, when it ends, how fast, and what fails. */
export function KeyFigures({ campaign }: { campaign: CampaignDetail }) {
  const now = useNow()
  const { counts, state, finished_at } = campaign
  const { done, total, delivered, failed } = progressOf(campaign)
  const began = beginOf(campaign)
  const ran_ms =
    began === undefined || state === 'scheduled'
      ? 0
      : Math.max(0, (finished_at === null ? now : Date.parse(finished_at)) - Date.parse(began))
  return (
    <dl className="panel grid grid-cols-5 max-lg:grid-cols-3 max-md:grid-cols-2 [&>*]:border-line [&>*]:px-4 [&>*]:py-3 md:[&>*+*]:border-l max-md:[&>*]:px-3 max-md:[&>*:first-child]:col-span-2 max-md:[&>*:nth-child(n+2)]:border-t max-md:[&>*:nth-child(odd):not(:first-child)]:border-l">
      <Figure
        label={words.figures.done}
        value={formatCount(done)}
        unit={words.of(formatCount(total))}
        said={ran_ms > 0 ? words.in(spanText(ran_ms)) : undefined}
      />
      <End campaign={campaign} now={now} ran_ms={ran_ms} />
      <Rate campaign={campaign} ran_ms={ran_ms} />
      <Figure
        label={words.figures.delivered}
        value={formatCount(counts.delivered)}
        said={delivered === undefined ? undefined : words.ofDone(formatPercent(delivered))}
      />
      <Figure
        label={words.figures.failed}
        value={formatCount(counts.failed)}
        said={failed === undefined ? undefined : words.ofDone(formatPercent(failed))}
        look={failed !== undefined && failed >= MANY_FAILED ? 'font-bold text-bad' : undefined}
      />
    </dl>
  )
}

/** When it ends and what that was worked out from, or how long it took. */
function End({ campaign, now, ran_ms }: { campaign: CampaignDetail; now: number; ran_ms: number }) {
  const { state, finishes_at, planned_at, limited_by, finished_at } = campaign
  const { figures } = words
  if (finished_at !== null)
    return (
      <Figure
        label={state === 'stopped' ? figures.stopped : figures.took}
        value={spanText(ran_ms)}
        said={hourBeside(finished_at, now, now)}
      />
    )
  const begins = state === 'scheduled' ? beginOf(campaign) : undefined
  if (begins !== undefined)
    return (
      <Figure
        label={figures.begins}
        value={hourTime(Date.parse(begins))}
        unit={dayOf(Date.parse(begins), now)}
        said={
          finishes_at === null
            ? undefined
            : `${figures.ends} ${hourBeside(finishes_at, Date.parse(begins), now)}`
        }
      />
    )
  const note = noteOf(campaign, now)
  if (finishes_at === null)
    return (
      <Figure
        label={figures.ends}
        value={listWords.noTime}
        said={
          note?.said ??
          (lastHanded(campaign) ? words.lastHanded : limited_by ? words.limitedBy[limited_by] : undefined)
        }
        look={note?.bad ? 'font-bold text-bad' : undefined}
      />
    )
  const at = Date.parse(finishes_at)
  const moved = moveOf(finishes_at, planned_at)
  const isToday = hourBeside(finishes_at, now, now) === hourTime(at)
  return (
    <Figure
      label={isToday ? figures.endsAbout : figures.endsOn(dayOf(at, now))}
      value={hourTime(at)}
      said={
        moved === undefined
          ? (note?.said ?? (limited_by ? words.limitedBy[limited_by] : undefined))
          : moved > 0
            ? words.later(spanText(moved))
            : words.earlier(spanText(-moved))
      }
      look={moved !== undefined && moved > 0 ? 'font-bold text-warn' : undefined}
    />
  )
}

const HOUR_MS = 3_600_000

function Rate({ campaign: { rate_per_min, counts }, ran_ms }: { campaign: CampaignDetail; ran_ms: number }) {
  const left = counts.sent + counts.delivered
  const average = ran_ms === 0 ? 0 : Math.round((left * HOUR_MS) / Math.max(60_000, ran_ms))
  const now = rate_per_min === null ? average : Math.round(rate_per_min * 60)
  return (
    <Figure
      label={words.figures.rate}
      value={formatCount(now)}
      unit={words.perHour}
      said={rate_per_min === null || left === 0 ? undefined : words.onAverage(formatCount(average))}
    />
  )
}

function Figure({
  label,
  value,
  unit,
  said,
  look = 'text-muted',
}: {
  label: string
  value: string
  unit?: ReactNode
  said?: string | undefined
  look?: string | undefined
}) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-sm text-muted">{label}</dt>
      <dd>
        <span className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-2xl leading-tight font-bold tracking-tight tabular-nums">{value}</span>
          {unit && <span className="text-muted">{unit}</span>}
        </span>
        {/* Of one line even without words, so that no column moves. */}
        <span className={`block min-h-5 text-sm ${look}`}>{said}</span>
      </dd>
    </div>
  )
}
