import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { Trash2 } from 'lucide-react'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { isRemovable } from './order.ts'
import { noteOf } from './note.ts'
import { PhasePill } from './phase-pill.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { beginOf, MANY_FAILED, phaseOf, progressOf } from './progress.ts'
import { campaigns as words } from './text.ts'
import { about, dayAndHour, hourBeside } from './when.ts'
import { useToday } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { formatCount, formatPercent } from '#console/ui/numbers.ts'

export const firstCampaignColumns = perLanguage((): Column<Campaign>[] => [
  {
    key: 'name',
    label: words.columns.name,
    width: 'minmax(150px, 2fr)',
    card: 'name',
    cell: (campaign) => <Name campaign={campaign} />,
    whole: ({ name }) => name,
  },
  {
    key: 'state',
    label: words.columns.state,
    width: '136px',
    card: 'state',
    cell: (campaign) => <PhasePill phase={phaseOf(campaign, Date.now())} />,
  },
  {
    key: 'progress',
    label: words.columns.progress,
    width: 'minmax(110px, 1fr)',
    card: 'progress',
    cell: (campaign) => <Progress {...campaign} />,
  },
  {
    key: 'delivered',
    label: words.columns.delivered,
    width: '94px',
    look: 'text-right tabular-nums',
    headLook: 'justify-end text-right',
    cell: (campaign) => share(progressOf(campaign).delivered),
  },
  {
    key: 'failed',
    label: words.columns.failed,
    width: '80px',
    look: 'text-right tabular-nums',
    headLook: 'justify-end text-right',
    cell: (campaign) => <Failed share={progressOf(campaign).failed} />,
  },
])

export const lastCampaignColumns = perLanguage((): Column<Campaign>[] => [
  {
    key: 'via',
    label: words.columns.via,
    width: 'minmax(84px, 0.7fr)',
    cell: ({ via }) => via ?? <span className="text-muted">{words.anyDevice}</span>,
    whole: ({ via }) => via,
  },
  {
    key: 'begins',
    label: words.columns.begins,
    width: '130px',
    look: 'tabular-nums',
    cell: (campaign) => <Begin at={beginOf(campaign)} />,
  },
  {
    key: 'ends',
    label: words.columns.ends,
    width: '152px',
    card: 'ends',
    look: "tabular-nums card:text-right card:text-sm card:text-muted card:before:content-[attr(data-label)_'_']",
    cell: (campaign) => <End campaign={campaign} />,
  },
  {
    key: 'by',
    label: words.columns.by,
    width: 'minmax(84px, 1fr)',
    look: 'text-muted',
    cell: ({ created_by }) => created_by ?? text.none,
    whole: ({ created_by }) => created_by,
  },
])

/** For those who may manage campaigns. */
export const removeCampaignColumn = perLanguage((): Column<Campaign>[] => [
  {
    key: 'remove',
    label: words.remove,
    width: '46px',
    card: 'remove',
    look: 'overflow-visible px-1!',
    // Read out, but without room.
    headLook: 'text-[0px]',
    cell: ({ name, state }) =>
      isRemovable(state) && (
        <Button
          needsServer
          square
          size="sm"
          tone="ghost"
          data-act="remove"
          aria-label={words.removeNamed(name)}
          title={words.removeNamed(name)}
        >
          <Trash2 className="size-4" aria-hidden="true" />
        </Button>
      ),
  },
])

function Name({ campaign }: { campaign: Campaign }) {
  useToday()
  const note = noteOf(campaign)
  return (
    <span className="flex min-w-0 flex-col leading-[1.3]">
      <a
        href={`/campaigns/${campaign.id}`}
        data-act="open"
        data-opens
        className={`font-semibold hover:underline ${note ? 'truncate' : 'tabular:line-clamp-2 tabular:whitespace-normal'} max-md:-my-2 max-md:grid max-md:min-h-11 max-md:content-center max-md:text-md max-md:whitespace-normal`}
      >
        {campaign.name}
      </a>
      {note && (
        <span className={`truncate text-sm ${note.bad ? 'text-bad' : 'text-muted'}`}>{note.said}</span>
      )}
    </span>
  )
}

function Progress(campaign: Campaign) {
  const { state, rows, lists, counts } = campaign
  const { done, total } = progressOf(campaign)
  const said =
    state === 'draft'
      ? rows === 0 && lists.length === 0
        ? words.noRows
        : rows === 0
          ? lists.join(', ')
          : words.messages(rows, formatCount(rows))
      : state === 'scheduled'
        ? words.messages(total, formatCount(total))
        : done === total
          ? formatCount(total)
          : words.of(formatCount(done), formatCount(total))
  return (
    <span className="flex min-w-0 flex-col gap-1 leading-none">
      {state !== 'draft' && <ProgressBar counts={counts} className="h-1.5 w-full" />}
      <span className="truncate text-sm text-muted tabular-nums">{said}</span>
    </span>
  )
}

function Failed({ share: failed }: { share: number | undefined }) {
  return (
    <span className={failed !== undefined && failed >= MANY_FAILED ? 'font-bold text-bad' : ''}>
      {share(failed)}
    </span>
  )
}

function share(part: number | undefined) {
  return part === undefined ? <None /> : formatPercent(part)
}

function None() {
  return <span className="text-muted">{text.none}</span>
}

function Begin({ at }: { at: string | undefined }) {
  const today = useToday()
  return at === undefined ? <None /> : <time dateTime={at}>{dayAndHour(at, today)}</time>
}

/** When it ends or has ended, or that this is not known. */
function End({ campaign }: { campaign: Campaign }) {
  const today = useToday()
  const { state, finished_at, finishes_at } = campaign
  if (state === 'draft') return <None />
  if (finished_at !== null)
    return hourBeside(finished_at, Date.parse(beginOf(campaign) ?? finished_at), today)
  return finishes_at === null ? words.noTime : about(finishes_at, today)
}
