import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { text } from '#console/core/text.ts'
import { optOuts as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { dayTime } from '#console/ui/time.ts'

const labels = words.columns

export function optOutColumns(companies: Column<OptOut>[], onLift: (id: number) => void): Column<OptOut>[] {
  return [
    { key: 'number', label: labels.number, width: '160px', card: 'number', mono: true, cell: numberOf },
    ...companies,
    {
      key: 'why',
      label: labels.why,
      width: 'minmax(200px, 1.6fr)',
      card: 'why',
      cell: whyOptedOut,
      whole: whyOptedOut,
    },
    {
      key: 'device_uid',
      label: labels.device_uid,
      width: 'minmax(110px, 0.8fr)',
      mono: true,
      cell: ({ device_uid }) => device_uid ?? text.none,
    },
    {
      key: 'created_at',
      label: labels.created_at,
      width: '150px',
      card: 'since',
      cell: ({ created_at }) => <time dateTime={created_at}>{dayTime(created_at)}</time>,
    },
    {
      key: 'actions',
      label: labels.actions,
      width: '116px',
      card: 'actions',
      cell: ({ id, number }) => (
        <Button size="sm" data-opens aria-label={words.liftNamed(number)} onClick={() => onLift(id)}>
          {words.lift}
        </Button>
      ),
    },
  ]
}

function numberOf({ number }: OptOut): string {
  return number
}

function whyOptedOut({ text: wrote, created_by }: OptOut): string {
  if (wrote !== null) return words.wrote(wrote)
  return created_by === null ? words.addedByNobody : words.addedBy(created_by)
}
