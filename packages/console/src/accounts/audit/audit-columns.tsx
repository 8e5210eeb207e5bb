import type { AuditEntry } from '@sdd/contract/accounts/audit.ts'
import { Eye } from 'lucide-react'
import { changesOf, entryText } from './entries.ts'
import { ChangeList } from './change-list.tsx'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { audit as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { dayTime, shortTime } from '#console/ui/time.ts'

export const firstAuditColumns = perLanguage((): Column<AuditEntry>[] => [
  {
    key: 'at',
    label: words.columns.at,
    width: '136px',
    card: 'at',
    look: 'text-muted tabular-nums card:justify-self-end',
    cell: ({ at }) => (
      <time dateTime={at} title={dayTime(at)}>
        {shortTime(at)}
      </time>
    ),
  },
  {
    key: 'by',
    label: words.columns.by,
    width: 'minmax(100px, 0.7fr)',
    card: 'by',
    look: 'card:text-muted',
    cell: ({ by }) => by ?? words.stranger,
    whole: ({ by }) => by,
  },
  {
    key: 'action',
    label: words.columns.action,
    width: 'minmax(140px, 1.4fr)',
    card: 'action',
    cell: (entry) => entryText(entry),
    whole: (entry) => entryText(entry),
  },
  {
    key: 'name',
    label: words.columns.name,
    width: 'minmax(110px, 1.1fr)',
    card: 'name',
    look: 'font-semibold card:text-md card:wrap-anywhere',
    cell: (entry) => words.nameOf(entry),
    whole: (entry) => words.nameOf(entry),
  },
])

export const lastAuditColumns = perLanguage((): Column<AuditEntry>[] => [
  {
    key: 'changes',
    label: words.columns.changes,
    width: 'minmax(200px, 2fr)',
    card: 'changes',
    look: 'card:wrap-anywhere',
    cell: (entry) => {
      const changes = changesOf(entry)
      return changes.length === 0 ? text.none : <ChangeList changes={changes} />
    },
    whole: (entry) =>
      changesOf(entry)
        .map(({ field, from, to }) => `${field}: ${from} → ${to}`)
        .join('\n') || undefined,
  },
  {
    key: 'open',
    label: words.columns.open,
    width: '58px',
    card: 'open',
    look: 'overflow-visible card:justify-self-end',
    cell: (entry) => (
      <Button
        size="sm"
        square
        data-opens
        data-act="open"
        aria-label={words.see(`${entryText(entry)} ${words.nameOf(entry)}`)}
      >
        <Eye className="size-4" aria-hidden="true" />
      </Button>
    ),
  },
])

/** Shown only if there is room; the entry's dialog has it too. */
export const addressColumn = perLanguage((): Column<AuditEntry> => ({
  key: 'address',
  label: words.columns.address,
  width: '150px',
  card: 'address',
  look: 'card:text-muted',
  mono: true,
  cell: ({ address }) => address ?? text.none,
  whole: ({ address }) => address,
}))
