import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { dayTime } from '#console/ui/time.ts'

export const firstOptOutColumns = perLanguage((): Column<OptOut>[] => [
  {
    key: 'number',
    label: words.columns.number,
    width: '150px',
    card: 'number',
    mono: true,
    look: 'font-semibold card:text-md',
    cell: ({ number }) => number,
  },
])

export const lastOptOutColumns = perLanguage((): Column<OptOut>[] => [
  {
    key: 'why',
    label: words.columns.why,
    width: 'minmax(150px, 1.6fr)',
    card: 'why',
    look: 'card:wrap-anywhere',
    cell: whyOptedOut,
    whole: whyOptedOut,
  },
  {
    key: 'device_uid',
    label: words.columns.device_uid,
    width: 'minmax(98px, 0.8fr)',
    mono: true,
    look: 'text-muted',
    cell: ({ device_uid }) => device_uid ?? text.none,
  },
  {
    key: 'created_at',
    label: words.columns.created_at,
    width: '150px',
    card: 'since',
    look: 'text-muted card:text-sm',
    cell: ({ created_at }) => <time dateTime={created_at}>{dayTime(created_at)}</time>,
  },
  {
    key: 'actions',
    label: words.columns.actions,
    width: '148px',
    card: 'actions',
    look: 'overflow-visible',
    cell: ({ number }) => (
      <Button needsServer size="sm" data-opens data-act="lift" aria-label={words.liftNamed(number)}>
        {words.lift}
      </Button>
    ),
  },
])

function whyOptedOut({ text: wrote, created_by }: OptOut): string {
  if (wrote !== null) return words.wrote(wrote)
  return created_by === null ? words.addedByNobody : words.addedBy(created_by)
}
