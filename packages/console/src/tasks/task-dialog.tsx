import { useQuery } from '@tanstack/react-query'
import { ApiFault } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { tasks as words } from '#console/core/text/tasks.ts'
import { messageQuery } from '#console/messages/messages.ts'
import { stateMarks, stateOf, type Task } from '#console/tasks/tasks.ts'
import { CloseButton } from '#console/ui/close-button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { RecordList } from '#console/ui/record-list.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'

/** Everything the server knows of one task, and why it waits where it does. */
export default function TaskDialog({
  guid,
  task,
  onClose,
}: {
  guid: string
  /** The row of the list, where the list has it. */
  task: Task | undefined
  onClose: () => void
}) {
  const { data, error, refetch } = useQuery(messageQuery(guid))
  return (
    <Modal title={words.details} onClose={onClose}>
      {/* First, so that the focus begins at the top of what may be long. */}
      <CloseButton label={text.close} onClose={onClose} />
      {task && <State task={task} />}
      {error && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {error instanceof ApiFault && error.status > 0 ? words.detailsRefused : words.detailsFailed}
        </Notice>
      )}
      {!data && !error && <Loading />}
      {data && Object.keys(data).length === 0 && <p className="text-muted">{words.noDetails}</p>}
      {data && <RecordList record={data} />}
    </Modal>
  )
}

function State({ task }: { task: Task }) {
  const state = stateOf(task)
  const { tone, mark } = stateMarks[state]
  return (
    <div className="mb-4">
      <Pill tone={tone} mark={mark}>
        {words.states[state]}
      </Pill>
      {task.waiting_for && (
        <p className="mt-2.5 rounded-sm border border-line bg-sunken px-3 py-2">
          <span className="block text-sm text-muted">{words.waits}</span>
          <TimedText>{task.waiting_for}</TimedText>
        </p>
      )}
    </div>
  )
}

function Loading() {
  return (
    <>
      <output className="text-muted">{words.loading}</output>
      <div className="record-skeleton" aria-hidden="true" />
    </>
  )
}
