import type { Callback } from '@sdd/contract/outward/callbacks.ts'
import { RotateCcw } from 'lucide-react'
import { stateMarks } from './calls.ts'
import { text } from '#console/core/text.ts'
import { callbacks as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import type { Column } from '#console/ui/list-table.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { shortTime } from '#console/ui/time.ts'

const labels = words.columns

export function callbackColumns(
  companies: Column<Callback>[],
  onOpen: (id: number) => void,
  onRepeat: (callback: Callback) => void,
): Column<Callback>[] {
  return [
    {
      key: 'created_at',
      label: labels.created_at,
      width: '128px',
      card: 'time',
      cell: ({ created_at }) => timeCell(created_at),
    },
    { key: 'type', label: labels.type, width: '132px', card: 'type', mono: true, cell: ({ type }) => type },
    {
      key: 'guid',
      label: labels.guid,
      width: 'minmax(100px, 1fr)',
      card: 'guid',
      mono: true,
      cell: ({ id, guid }) => (
        <button
          type="button"
          data-opens
          aria-label={words.see(guid)}
          onClick={() => onOpen(id)}
          className="opens"
        >
          {guid}
        </button>
      ),
      whole: ({ guid }) => guid,
    },
    {
      key: 'url',
      label: labels.url,
      width: 'minmax(90px, 1.4fr)',
      card: 'url',
      cell: ({ url }) => url,
      whole: ({ url }) => url,
    },
    ...companies,
    {
      key: 'state',
      label: labels.state,
      width: '130px',
      card: 'state',
      cell: ({ state }) => (
        <Pill tone={stateMarks[state].tone} mark={stateMarks[state].mark}>
          {words.states[state]}
        </Pill>
      ),
    },
    {
      key: 'tries',
      label: labels.tries,
      width: '74px',
      mono: true,
      cell: ({ tries }) => tries,
    },
    {
      key: 'last',
      label: labels.last,
      width: 'minmax(96px, 0.9fr)',
      card: 'last',
      cell: lastOf,
      whole: lastOf,
    },
    {
      key: 'next_try_at',
      label: labels.next_try_at,
      width: '122px',
      cell: ({ next_try_at }) => (next_try_at ? timeCell(next_try_at) : text.none),
    },
    {
      key: 'actions',
      label: labels.actions,
      width: '162px',
      card: 'actions',
      cell: (callback) => (
        <Button size="sm" aria-label={words.repeatNamed(callback.guid)} onClick={() => onRepeat(callback)}>
          <RotateCcw className="size-3.5" aria-hidden="true" />
          {words.repeat}
        </Button>
      ),
    },
  ]
}

/** What came of the last try. */
function lastOf({ last_status, last_error }: Callback): string {
  const status = last_status === null ? undefined : words.status(last_status)
  return [status, last_error].filter(Boolean).join(' · ') || text.none
}

function timeCell(at: string) {
  return <time dateTime={at}>{shortTime(at)}</time>
}
