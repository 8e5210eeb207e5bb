import type { CampaignRow, RowState } from '@sdd/contract/people/campaign-rows.ts'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { campaignPage as words } from './page-text.ts'
import { dayAndHour } from './when.ts'
import { useToday } from '#console/ui/ago.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { clockTime, isSameDay } from '#console/ui/time.ts'

const looks: Record<RowState, { mark: Mark; color: string }> = {
  ...messageStateMarks,
  pending: { mark: 'arc', color: 'text-off' },
  skipped: { mark: 'struck', color: 'text-off' },
}

export const rowColumns = perLanguage((): Column<CampaignRow>[] => [
  {
    key: 'row',
    label: words.columns.row,
    width: '68px',
    card: 'row',
    mono: true,
    look: 'text-muted',
    cell: ({ row }) => (
      <button
        type="button"
        data-act="open"
        data-opens
        aria-label={words.openRow(String(row))}
        className="hover:underline max-md:min-h-11 max-md:min-w-11 max-md:text-left"
      >
        {row}
      </button>
    ),
  },
  {
    key: 'state',
    label: words.columns.state,
    width: '146px',
    card: 'state',
    look: 'tabular:truncate',
    cell: ({ state }) => (
      <span
        className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${looks[state].color}`}
      >
        <MarkIcon mark={looks[state].mark} />
        {words.states[state]}
      </span>
    ),
  },
  {
    key: 'number',
    label: words.columns.number,
    width: '132px',
    card: 'number',
    mono: true,
    look: 'tabular:truncate card:font-semibold',
    cell: ({ number }) => number,
    whole: ({ number }) => number,
  },
  {
    key: 'name',
    label: words.columns.name,
    width: 'minmax(90px, 1fr)',
    card: 'name',
    look: 'tabular:truncate',
    cell: ({ name }) => name ?? text.none,
    whole: ({ name }) => name,
  },
  {
    key: 'device',
    label: words.columns.device,
    width: '112px',
    card: 'device',
    mono: true,
    look: 'tabular:truncate card:text-sm card:text-muted',
    cell: ({ device_uid }) => device_uid ?? text.none,
    whole: ({ device_uid }) => device_uid,
  },
  {
    key: 'at',
    label: words.columns.at,
    width: '150px',
    card: 'at',
    mono: true,
    look: 'tabular:truncate card:text-sm card:text-muted',
    cell: ({ at }) => (at === null ? text.none : <RowTime at={at} />),
  },
  {
    key: 'outcome',
    label: words.columns.outcome,
    width: 'minmax(120px, 1.4fr)',
    card: 'outcome',
    look: 'tabular:truncate',
    cell: (row) => <span className={row.state === 'failed' ? 'text-bad' : ''}>{outcomeText(row)}</span>,
    whole: outcomeText,
  },
])

/** Today's with seconds, others with their day. */
function RowTime({ at }: { at: string }) {
  const today = useToday()
  return <time dateTime={at}>{isSameDay(at, today) ? clockTime(Date.parse(at)) : dayAndHour(at, today)}</time>
}

/** Why a row failed or is not sent, or what the person answered. */
function outcomeText({ state, reason, fault, reply }: CampaignRow): string {
  if (reply !== null) return words.answer(reply)
  if (fault !== null) {
    const field = fault.params['field'] ?? fault.params['prefix']
    const said = words.faults[fault.code]
    return typeof field === 'string' ? words.faultField(said, field) : said
  }
  if (reason === null) return ''
  return (state === 'skipped' ? words.skips[reason] : undefined) ?? outcomes.cause(reason)
}
