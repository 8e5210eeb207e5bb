import type { Callback } from '@sdd/contract/outward/callbacks.ts'
import { RotateCcw } from 'lucide-react'
import { callbackStateMarks } from './calls.ts'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { callbacks as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { shortTime, timeOfOtherYear } from '#console/ui/time.ts'

export const firstCallbackColumns = perLanguage((): Column<Callback>[] => [
  {
    key: 'created_at',
    label: words.columns.created_at,
    width: '128px',
    card: 'time',
    look: 'text-muted tabular-nums card:justify-self-end',
    cell: ({ created_at }) => timeCell(created_at),
    whole: ({ created_at }) => timeOfOtherYear(created_at),
  },
  {
    key: 'type',
    label: words.columns.type,
    width: '112px',
    card: 'type',
    cell: ({ type }) => words.typeOf(type),
  },
  {
    key: 'guid',
    label: words.columns.guid,
    width: 'minmax(92px, 1fr)',
    card: 'guid',
    look: 'card:text-md card:wrap-anywhere',
    mono: true,
    cell: ({ guid }) => (
      <button
        type="button"
        data-opens
        data-act="open"
        aria-label={words.see(guid)}
        className="max-w-full overflow-hidden text-left font-semibold text-ellipsis text-link hover:underline card:min-h-11 card:wrap-anywhere card:whitespace-normal"
      >
        {guid}
      </button>
    ),
    whole: ({ guid }) => guid,
  },
  {
    key: 'url',
    label: words.columns.url,
    width: 'minmax(80px, 1.4fr)',
    card: 'url',
    look: 'card:wrap-anywhere card:text-muted',
    cell: ({ url }) => url,
    whole: ({ url }) => url,
  },
])

export const lastCallbackColumns = perLanguage((): Column<Callback>[] => [
  {
    key: 'state',
    label: words.columns.state,
    width: '132px',
    card: 'state',
    look: 'card:justify-self-end',
    cell: ({ state }) => (
      <Pill tone={callbackStateMarks[state].tone} mark={callbackStateMarks[state].mark}>
        {words.states[state]}
      </Pill>
    ),
  },
  {
    key: 'tries',
    label: words.columns.tries,
    width: '70px',
    mono: true,
    cell: ({ tries }) => tries,
  },
  {
    key: 'last',
    label: words.columns.last,
    width: 'minmax(84px, 0.9fr)',
    card: 'last',
    look: 'in-data-[state=dead]:text-bad card:wrap-anywhere',
    cell: lastOf,
    whole: lastOf,
  },
  {
    key: 'next_try_at',
    label: words.columns.next_try_at,
    width: '122px',
    look: 'text-muted tabular-nums',
    cell: ({ next_try_at }) => (next_try_at ? timeCell(next_try_at) : text.none),
    whole: ({ next_try_at }) => timeOfOtherYear(next_try_at),
  },
  {
    key: 'actions',
    label: words.columns.actions,
    width: '150px',
    card: 'actions',
    look: 'overflow-visible card:justify-self-end',
    cell: ({ guid }) => (
      <Button needsServer size="sm" data-act="repeat" aria-label={words.repeatNamed(guid)}>
        <RotateCcw className="size-3.5" aria-hidden="true" />
        {words.repeat}
      </Button>
    ),
  },
])

/** The outcome of the last attempt. */
function lastOf(callback: Callback): string {
  const { last_status } = callback
  const status = last_status === null ? undefined : words.status(last_status)
  return [status, words.lastError(callback)].filter(Boolean).join(' · ') || text.none
}

function timeCell(at: string) {
  return <time dateTime={at}>{shortTime(at)}</time>
}
