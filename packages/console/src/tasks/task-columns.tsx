import { Eye } from 'lucide-react'
import type { ReactNode } from 'react'
import { perLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { tasks as words } from './text.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { waiting } from '#console/messages/waiting/text.ts'
import { waitingReason } from '#console/messages/waiting/waiting.ts'
import { taskStateMarks, taskStateOf, type Task } from '#console/tasks/tasks.ts'
import type { Column } from '#console/ui/list-table.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'
import { shortTime, timeOfOtherYear, withShortTimes } from '#console/ui/time.ts'

/** The day above the clock, so that five times have room. */
const TWO_LINES = 'tabular:text-xs tabular:leading-[15px] tabular:whitespace-normal tabular:overflow-visible'

type Name = Exclude<keyof typeof words.columns, 'open'>

/** The columns, in the order of the user specification. */
export const taskColumns = perLanguage((): Column<Task>[] => [
  {
    key: 'open',
    label: words.columns.open,
    // On wide lists this column also has room for the reason why a task waits. A second flexible column would widen the
    // first one's share, and push the last column out while rows are selected.
    width: 'clamp(172px, 45cqw - 293px, 340px)',
    card: 'open',
    frozen: true,
    look: 'tabular:flex tabular:h-[calc(var(--height)-1px)] tabular:items-center tabular:border-r tabular:border-line',
    headLook: 'tabular:border-r tabular:border-line',
    cell: openCell,
  },
  plain('guid', 'clamp(84px, 40cqw - 490px, 150px)', true),
  plain('from_number', 'clamp(68px, 25cqw - 296px, 116px)', true),
  { ...plain('to_number', '116px', true), card: 'to', look: 'card:text-md card:font-semibold' },
  { ...plain('text', 'minmax(84px, 1fr)'), dir: 'auto', card: 'text', look: 'card:truncate card:text-md' },
  time('sent_stamp'),
  {
    key: 'silent',
    label: words.columns.silent,
    width: '64px',
    cell: ({ silent }) => (silent ? text.yes : text.no),
  },
  { ...time('created_at'), card: 'time', look: `${TWO_LINES} card:justify-self-end card:text-muted` },
  {
    ...plain('device_guid_assigned', '110px', true),
    card: 'device',
    look: 'card:overflow-hidden card:text-muted',
    cell: deviceCell,
  },
  time('assigned_at'),
  time('completed_at'),
  time('discarded_at'),
])

function plain(key: Name, width: string, mono = false): Column<Task> {
  return {
    key,
    label: words.columns[key],
    width,
    mono,
    cell: formattedCell(key),
    whole: (task) => long(task[key]),
  }
}

function time(key: Name): Column<Task> {
  const label = words.columns[key]
  const whole = (task: Task) => timeOfOtherYear(task[key])
  return {
    key,
    label,
    width: '82px',
    mono: true,
    look: TWO_LINES,
    cell: (task) => timeCell(task[key]),
    whole,
  }
}

function formattedCell(key: Name) {
  return (task: Task): ReactNode => task[key] || text.none
}

function long(value: Task[Name]): string | undefined {
  return typeof value === 'string' && value.length > 16 ? value : undefined
}

function timeCell(value: Task[Name]): ReactNode {
  return typeof value === 'string' && value ? <time dateTime={value}>{shortTime(value)}</time> : text.none
}

/** The button that opens the details, the state as a mark with its word, and why the task waits or failed. */
function openCell(task: Task): ReactNode {
  const state = taskStateOf(task)
  const { mark, color } = taskStateMarks[state]
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <button
        type="button"
        data-opens
        data-act="open"
        aria-label={words.see(task.guid)}
        className="grid size-7 flex-none place-items-center rounded-sm text-link hover:bg-off-bg card:size-11 card:border card:border-line"
      >
        <Eye className="size-4" aria-hidden="true" />
      </button>
      <span className={`flex min-w-0 flex-col leading-[15px] card:order-first`}>
        <span className={`flex items-center gap-1.5 whitespace-nowrap ${color}`}>
          <MarkIcon mark={mark} className="size-[13px]" />
          <span className="font-medium card:sr-only">{words.states[state]}</span>
        </span>
        <Why task={task} look="card:hidden" />
      </span>
    </span>
  )
}

/** The device. In a card, also why the task waits or failed, since the first cell has no room for it there. */
function deviceCell(task: Task): ReactNode {
  const { device_guid_assigned: device } = task
  return (
    <>
      <span className={!device && reasonOf(task) ? 'card:hidden' : undefined}>{device || text.none}</span>
      <Why task={task} look="block tabular:hidden" />
    </>
  )
}

function Why({ task, look }: { task: Task; look: string }) {
  const why = reasonOf(task)
  const brief = waitingReason(task)
  return why ? (
    <span
      className={`min-w-0 truncate font-sans text-xs text-muted in-data-[state=failed]:text-bad ${look}`}
      title={withShortTimes(why)}
    >
      {brief ? waiting.reasons[brief] : <TimedText>{why}</TimedText>}
    </span>
  ) : null
}

function reasonOf(task: Task): string | undefined {
  return waiting.sentence(task) ?? outcomes.errorMsg(task)
}
