import type { ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { logs as words } from './text.ts'
import { stateMarks, stateOf, type LogRow } from './log.ts'
import type { LogView } from './search.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { shortTime } from '#console/ui/time.ts'

/** About the width of a wide character, and of both paddings, in px. */
const CHARACTER = { mono: 7.5, sans: 10 } as const
const PADDINGS = 20

export type LogColumn = {
  key: keyof typeof words.columns
  /** In px; texts are cut to it. */
  width: number
  cell: (row: LogRow) => ReactNode
  /** The whole of a text that may be cut; undefined where it fits. */
  whole?: (row: LogRow) => string | undefined
  mono?: boolean
  /** Stays at the left edge. */
  frozen?: boolean
}

/** The 18 columns in the user specification's order. */
const logColumns: LogColumn[] = [
  { key: 'id', width: 112, cell: idCell, mono: true, frozen: true },
  plain('guid', 150, true),
  plain('device_id', 84, true),
  plain('device_guid', 140, true),
  plain('message', 280),
  { ...plain('message_to', 140, true), frozen: true },
  time('queue_timestamp'),
  time('handed_timestamp'),
  time('answer_sent_timestamp'),
  plain('anwer_sent', 140),
  time('answer_2_timestamp'),
  plain('answer_2', 150),
  plain('notes', 220),
  plain('answer_3', 180),
  time('answer_3_timestamp'),
  { key: 'error', width: 64, cell: errorCell },
  plain('error_msg', 240),
  time('error_timestamp'),
]

const views: Record<Exclude<LogView, 'all'>, LogColumn['key'][]> = {
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

export function columnsOf(view: LogView): LogColumn[] {
  return view === 'all' ? logColumns : logColumns.filter(({ key }) => views[view].includes(key))
}

function plain(key: LogColumn['key'], width: number, mono = false): LogColumn {
  const fits = (width - PADDINGS) / CHARACTER[mono ? 'mono' : 'sans']
  return {
    key,
    width,
    mono,
    cell: (row) => row[key],
    whole(row) {
      const value = row[key]
      return typeof value === 'string' && value.length > fits ? value : undefined
    },
  }
}

function time(key: LogColumn['key']): LogColumn {
  return { key, width: 136, mono: true, cell: (row) => timeCell(row[key]) }
}

function timeCell(value: LogRow[LogColumn['key']]): ReactNode {
  return typeof value === 'string' && value ? <time dateTime={value}>{shortTime(value)}</time> : text.none
}

/** The state as a mark with its word, and the id as what opens the row. */
function idCell(row: LogRow): ReactNode {
  const state = stateOf(row)
  const { mark, color } = stateMarks[state]
  const label = row.error_block ? `${words.states[state]}, ${words.blocked}` : words.states[state]
  return (
    <>
      <span className={color}>
        <MarkIcon mark={mark} label={label} className="size-[13px]" />
      </span>
      <button type="button" data-opens>
        {row.id}
      </button>
    </>
  )
}

function errorCell(row: LogRow): ReactNode {
  return row.error ? <span className="font-bold text-bad">✓</span> : null
}
