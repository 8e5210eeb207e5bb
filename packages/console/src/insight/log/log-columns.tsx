import type { ReactNode } from 'react'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { logs as words } from './text.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { messageStateOf, type LogRow } from './log.ts'
import type { LogView } from './search.ts'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { shortTime, timeOfOtherYear, withShortTimes } from '#console/ui/time.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'

/** About the width of a wide character, and of both paddings, in px. */
const CHARACTER = { mono: 7.5, sans: 10 } as const
const PADDINGS = 20

type Key = keyof typeof words.columns
type LogColumn = Column<LogRow> & { key: Key }

/** A row's cells. Only texts that may be cut are clipped, since each clip costs time in every frame. */
const CELL =
  'tabular:h-[calc(var(--height)-1px)] tabular:leading-[calc(var(--height)-1px)] tabular:not-[[title]]:overflow-visible'

/** Sticks next to the first column. */
const DESTINATION = 'tabular:left-[220px] tabular:border-r tabular:border-r-line-strong'

/** The 18 columns, in the order of the user specification. */
const logColumns = (): LogColumn[] => [
  {
    ...column('id', 220, idCell, `flex items-center gap-[7px] tabular:pl-3.5 card:self-start card:pt-1`),
    headLook: 'tabular:pl-3.5',
    mono: true,
    frozen: true,
    card: 'id',
  },
  plain('guid', 150, true),
  plain('device_id', 84, true),
  { ...plain('device_guid', 140, true, 'card:truncate card:text-muted'), card: 'device' },
  { ...plain('message', 280, false, 'card:truncate card:text-md'), dir: 'auto', card: 'message' },
  {
    ...plain('message_to', 140, true, `${DESTINATION} card:truncate card:text-md card:font-semibold`),
    headLook: DESTINATION,
    frozen: true,
    card: 'to',
  },
  { ...time('queue_timestamp', 'card:truncate card:text-muted'), card: 'time' },
  time('handed_timestamp'),
  time('answer_sent_timestamp'),
  plain('anwer_sent', 140),
  time('answer_2_timestamp'),
  plain('answer_2', 150),
  sentence('notes', 220, outcomes.notes),
  { ...plain('answer_3', 180), dir: 'auto' },
  time('answer_3_timestamp'),
  { ...column('error', 64, errorCell, 'tabular:text-center'), headLook: 'tabular:justify-center' },
  { ...sentence('error_msg', 240, outcomes.errorMsg, 'card:truncate card:text-bad'), card: 'error' },
  time('error_timestamp'),
]

const views: Record<Exclude<LogView, 'all'>, Key[]> = {
  delivery: [
    'id',
    'device_guid',
    'message',
    'message_to',
    'queue_timestamp',
    'anwer_sent',
    'answer_2',
    'answer_3',
  ],
  times: [
    'id',
    'message_to',
    'queue_timestamp',
    'handed_timestamp',
    'answer_sent_timestamp',
    'answer_2_timestamp',
    'answer_3_timestamp',
    'error_timestamp',
  ],
  errors: ['id', 'device_guid', 'message_to', 'notes', 'error', 'error_msg', 'error_timestamp'],
}

const allColumns = perLanguage(logColumns)

export const columnsOf = perLanguage((): Record<LogView, Column<LogRow>[]> => {
  const all = allColumns()
  const viewed = (view: keyof typeof views) => stretched(all.filter(({ key }) => views[view].includes(key)))
  return {
    all: stretched(all),
    delivery: viewed('delivery'),
    times: viewed('times'),
    errors: viewed('errors'),
  }
})

const chosenColumns = perLanguage(() => new Map<string, Column<LogRow>[]>())

/** These columns, in the usual order: `keys` with commas. The first is always there, because it opens the message. */
export function columnsNamed(keys: string): Column<LogRow>[] {
  const made = chosenColumns()
  const wanted = ['id', ...keys.split(',')]
  const columns = made.get(keys) ?? stretched(allColumns().filter(({ key }) => wanted.includes(key)))
  made.set(keys, columns)
  return columns
}

function stretched(columns: LogColumn[]): Column<LogRow>[] {
  return columns.map((column, n) =>
    n === columns.length - 1 ? { ...column, width: `minmax(${column.width}, 1fr)` } : column,
  )
}

/** `width` in px; texts are cut to it. */
function column(
  key: Key,
  width: number,
  cell: (row: LogRow) => ReactNode,
  look = '',
): Column<LogRow> & { key: Key } {
  return { key, label: words.columns[key], width: `${width}px`, cell, look: `${CELL} ${look}` }
}

function plain(key: Key, width: number, mono = false, look = '') {
  return { ...clipped(key, width, (row) => row[key], { mono, look }), mono }
}

/** A sentence of the current language. Without one, the cell has the field as it is. */
function sentence(key: Key, width: number, wordsOf: (row: LogRow) => string | undefined, look = '') {
  function cell(row: LogRow): LogRow[Key] {
    const said = wordsOf(row)
    return said === undefined || said === row[key] ? row[key] : withShortTimes(said)
  }
  return clipped(key, width, cell, { look })
}

function clipped(
  key: Key,
  width: number,
  cell: (row: LogRow) => LogRow[Key],
  { mono = false, look }: { mono?: boolean; look: string },
) {
  const fits = (width - PADDINGS) / CHARACTER[mono ? 'mono' : 'sans']
  return {
    ...column(key, width, cell, look),
    whole(row: LogRow) {
      const value = cell(row)
      return typeof value === 'string' && value.length > fits ? value : undefined
    },
  }
}

function time(key: Key, look = '') {
  const whole = (row: LogRow) => timeOfOtherYear(row[key])
  return { ...column(key, 136, (row) => timeCell(row[key]), look), mono: true, whole }
}

function timeCell(value: LogRow[Key]): ReactNode {
  return typeof value === 'string' && value ? <time dateTime={value}>{shortTime(value)}</time> : text.none
}

/** The state as a mark and a word, and the id as the button that opens the row. A card has only the mark. */
function idCell(row: LogRow): ReactNode {
  const state = messageStateOf(row)
  const { mark, color } = messageStateMarks[state]
  const label = row.error_block ? `${words.states[state]}, ${words.blocked}` : words.states[state]
  return (
    <>
      <span className={`flex items-center gap-[7px] whitespace-nowrap ${color}`} title={label}>
        <MarkIcon mark={mark} className="size-[13px]" />
        <span className="font-sans card:sr-only">{label}</span>
      </span>
      <button
        type="button"
        data-opens
        aria-label={words.open(row.id)}
        className="ml-auto min-h-6 px-1 focus-visible:-outline-offset-2 card:absolute card:inset-0 card:overflow-hidden card:text-[0px]"
      >
        {row.id}
      </button>
    </>
  )
}

function errorCell(row: LogRow): ReactNode {
  return row.error ? <span className="font-bold text-bad">✓</span> : null
}
