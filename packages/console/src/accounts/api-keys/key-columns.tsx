import { KeyPermission, type ApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { MessageClass } from '@sdd/contract/core/fields.ts'
import { RefreshCw } from 'lucide-react'
import { apiKeys as words } from './text.ts'
import { currentLanguage, perLanguage } from '#console/core/language.ts'
import { rotation } from '#console/ui/rotate-text.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { dayTime } from '#console/ui/time.ts'

/** A key shows that it expires soon from this long before its end, in ms. */
const SOON_MS = 14 * 86_400_000

/** In a card, a label comes before the cell's value. */
const labelled = "card:before:text-muted card:before:content-[attr(data-label)_':_']"

export const firstKeyColumns = perLanguage((): Column<ApiKey>[] => [
  {
    key: 'name',
    label: words.columns.name,
    width: 'minmax(112px, 1.2fr)',
    card: 'name',
    look: 'font-semibold card:text-lg card:wrap-anywhere',
    cell: ({ name }) => name,
    whole: ({ name }) => name,
  },
])

export const lastKeyColumns = perLanguage((): Column<ApiKey>[] => {
  // English writes months as words, which take more than figures.
  const inWords = currentLanguage() !== undefined
  return [
    {
      key: 'may',
      label: words.columns.may,
      width: '120px',
      card: 'may',
      cell: ({ may }) => words.shortMay(KeyPermission.options.filter((one) => may.includes(one))),
      whole: ({ may, classes }) => [...may.map((one) => words.may[one]), ...limitsOf(classes)].join(', '),
    },
    {
      key: 'hint',
      label: words.columns.hint,
      width: '98px',
      card: 'hint',
      look: 'text-muted',
      mono: true,
      cell: ({ hint }) => `${hint}…`,
    },
    {
      key: 'created_at',
      label: words.columns.created_at,
      width: inWords ? '150px' : '132px',
      look: 'text-muted',
      cell: ({ created_at }) => <time dateTime={created_at}>{dayTime(created_at)}</time>,
    },
    {
      key: 'by',
      label: words.columns.by,
      width: 'minmax(84px, 0.7fr)',
      look: 'text-muted',
      cell: ({ by }) => by ?? <span className="text-muted">{words.nobody}</span>,
      whole: ({ by }) => by,
    },
    {
      key: 'last_used_at',
      label: words.columns.last_used_at,
      width: '112px',
      card: 'used',
      look: labelled,
      cell: ({ last_used_at, last_used_from }) =>
        last_used_at ? (
          <>
            <Ago at={last_used_at} />
            {last_used_from && (
              <span className="mono block truncate text-xs text-muted">{last_used_from}</span>
            )}
          </>
        ) : (
          <span className="text-muted">{words.neverUsed}</span>
        ),
      whole: ({ last_used_from }) => last_used_from,
    },
    {
      key: 'expires_at',
      label: words.columns.expires_at,
      width: inWords ? '194px' : '166px',
      card: 'expires',
      look: labelled,
      cell: expiryCell,
    },
    {
      key: 'actions',
      label: words.columns.actions,
      width: '126px',
      card: 'actions',
      look: 'overflow-visible',
      cell: ({ name }) => (
        <span className="flex gap-2">
          <Button
            needsServer
            size="sm"
            square
            aria-label={words.rotateNamed(name)}
            title={rotation.rotate}
            data-act="rotate"
          >
            <RefreshCw className="size-4" aria-hidden="true" />
          </Button>
          <Button needsServer size="sm" data-opens data-act="revoke" aria-label={words.revokeNamed(name)}>
            {words.revoke}
          </Button>
        </span>
      ),
    },
  ]
})

/** The classes of a key that may not send all of them. */
function limitsOf(classes: ApiKey['classes']): string[] {
  return classes.length === MessageClass.options.length ? [] : classes.map((one) => words.class[one])
}

function expiryCell({ expires_at, previous_until }: ApiKey) {
  return (
    <>
      {endOf(expires_at)}
      {previous_until && (
        <span className="block text-sm text-muted">
          {words.previous} <time dateTime={previous_until}>{dayTime(previous_until)}</time>
        </span>
      )}
    </>
  )
}

function endOf(expires_at: string | null) {
  if (!expires_at) return <span className="text-muted">{words.neverExpires}</span>
  const soon = Date.parse(expires_at) - Date.now() < SOON_MS
  return (
    <span className={soon ? 'inline-flex items-center gap-1.5 font-medium text-warn' : undefined}>
      {soon && <MarkIcon mark="triangle" label={words.soon} />}
      <time dateTime={expires_at}>{dayTime(expires_at)}</time>
    </span>
  )
}
