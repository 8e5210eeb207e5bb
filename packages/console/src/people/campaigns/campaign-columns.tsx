import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { perLanguage } from '#console/core/language.ts'
import { campaigns as words } from './text.ts'
import type { Column } from '#console/ui/list-table.tsx'
import { formatCount } from '#console/ui/numbers.ts'

export const campaignColumns = perLanguage((): Column<Campaign>[] => [
  {
    key: 'name',
    label: words.columns.name,
    width: 'minmax(220px, 2fr)',
    card: 'name',
    look: 'font-semibold',
    cell: ({ id, name }) => (
      <a
        href={`/campaigns/${id}`}
        data-act="open"
        data-opens
        className="max-w-full truncate hover:underline max-md:min-h-11"
      >
        {name}
      </a>
    ),
    whole: ({ name }) => name,
  },
  {
    key: 'state',
    label: words.columns.state,
    width: '130px',
    card: 'state',
    cell: ({ state }) => words.states[state],
  },
  {
    key: 'rows',
    label: words.columns.rows,
    width: 'minmax(120px, 1fr)',
    card: 'rows',
    cell: ({ rows }) => formatCount(rows),
  },
])
