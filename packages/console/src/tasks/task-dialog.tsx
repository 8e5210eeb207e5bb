import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { tasks as words } from './text.ts'
import type { MessageRef } from '#console/messages/messages/message-ref.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { MessageRecord } from '#console/messages/record/record.tsx'
import { SendAgain } from '#console/messages/record/send-again.tsx'
import { TimelineList } from '#console/messages/record/timeline-list.tsx'
import { waiting } from '#console/messages/waiting/text.ts'
import { Discard } from '#console/tasks/discard.tsx'
import {
  isDiscardable,
  taskStateMarks,
  taskStateOf,
  taskQuery,
  type RecordQuery,
  type Task,
} from '#console/tasks/tasks.ts'
import { CloseButton } from '#console/ui/close-button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'

/** Everything the server knows of one task, including why it waits. */
export default function TaskDialog({
  messageRef,
  task,
  recordQuery,
  onClose,
}: {
  messageRef: MessageRef
  /** The row, if the list has it. */
  task: Task | undefined
  recordQuery: RecordQuery
  onClose: () => void
}) {
  const { data, error, refetch } = useQuery(recordQuery(messageRef))
  const { data: single } = useQuery({
    ...taskQuery(messageRef),
    enabled: task === undefined && data !== undefined,
  })
  const shown = task ?? single
  return (
    <Modal title={words.details} onClose={onClose}>
      {/* First, so that the focus starts at the top of a long dialog. */}
      <CloseButton label={text.close} onClose={onClose} />
      {shown && <State task={shown} by={textOf(data, 'queued_by')} />}
      {shown && <Discard key={messageRef.guid} task={shown} />}
      {shown && !isDiscardable(shown) && (
        <p className="mb-4">
          <SendAgain to={shown.to_number} message={shown.text} uncertain={shown.state === 'uncertain'} />
        </p>
      )}
      {error && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {error instanceof CallFault && error.status > 0 ? words.detailsRefused : words.detailsFailed}
        </Notice>
      )}
      {!data && !error && <Loading />}
      {data && Object.keys(data).length === 0 && <p className="text-muted">{words.noDetails}</p>}
      {data && 'queue_timestamp' in data && (
        <section className="mb-4">
          <h3 className="mb-1.5 text-sm font-semibold text-muted">{words.way}</h3>
          <TimelineList message={data} />
        </section>
      )}
      {data && <MessageRecord record={data} />}
    </Modal>
  )
}

function State({ task, by }: { task: Task; by: string | undefined }) {
  const state = taskStateOf(task)
  const { tone, mark } = taskStateMarks[state]
  const waitsFor = waiting.sentence(task)
  const failure = outcomes.errorMsg(task)
  const ended = state === 'discarded' || state === 'expired'
  return (
    <div className="mb-4">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Pill tone={tone} mark={mark}>
          {words.states[state]}
        </Pill>
        {task.attempts ? <span className="text-muted">{words.attempts(task.attempts)}</span> : null}
        {by && (
          <span className="text-muted">
            {words.queuedBy} <span className="font-semibold break-words">{by}</span>
          </span>
        )}
      </p>
      {waitsFor && <Why label={words.waits}>{waitsFor}</Why>}
      {failure && (
        <Why label={ended ? words.why : words.error} bad={!ended}>
          {failure}
        </Why>
      )}
    </div>
  )
}

function Why({ label, bad = false, children }: { label: string; bad?: boolean; children: string }) {
  return (
    <p
      className={`mt-2.5 rounded-sm border px-3 py-2 ${bad ? 'border-transparent bg-bad-bg text-bad' : 'border-line bg-sunken'}`}
    >
      <span className={`block text-sm ${bad ? '' : 'text-muted'}`}>{label}</span>
      <TimedText>{children}</TimedText>
    </p>
  )
}

function Loading() {
  return (
    <>
      <output className="text-muted">{words.loading}</output>
      <Skeleton kind="record" />
    </>
  )
}
