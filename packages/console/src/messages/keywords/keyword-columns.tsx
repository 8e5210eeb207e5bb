import type { Keyword } from '@sdd/contract/messages/keywords.ts'
import { perLanguage } from '#console/core/language.ts'
import { keywords as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'

export const firstKeywordColumns = perLanguage((): Column<Keyword>[] => [
  {
    key: 'word',
    label: words.columns.word,
    width: 'minmax(140px, 0.6fr)',
    card: 'word',
    look: 'font-semibold card:text-md',
    cell: ({ word }) => (
      <button
        type="button"
        data-act="open"
        data-opens
        aria-label={words.open(word)}
        className="max-w-full truncate hover:underline max-md:min-h-11"
      >
        {word}
      </button>
    ),
    whole: ({ word }) => word,
  },
])

export const lastKeywordColumns = perLanguage((): Column<Keyword>[] => [
  {
    key: 'action',
    label: words.columns.action,
    width: '140px',
    card: 'action',
    look: 'card:text-sm',
    cell: ({ action }) => words.does[action],
  },
  {
    key: 'answer',
    label: words.columns.answer,
    width: 'minmax(220px, 2fr)',
    card: 'answer',
    look: 'text-muted card:wrap-anywhere',
    dir: 'auto',
    cell: ({ answer }) => answer ?? words.noAnswer,
    whole: ({ answer }) => answer ?? undefined,
  },
  {
    key: 'actions',
    label: words.columns.actions,
    width: '110px',
    card: 'actions',
    look: 'overflow-visible',
    cell: ({ word }) => (
      <Button needsServer size="sm" data-opens data-act="remove" aria-label={words.removeNamed(word)}>
        {words.remove}
      </Button>
    ),
  },
])
