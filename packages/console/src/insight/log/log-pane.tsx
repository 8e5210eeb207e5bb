import { CallFault } from '@sdd/contract/core/client.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { logs as words } from './text.ts'
import { useReadsConversations } from '#console/accounts/settings/settings.ts'
import { refOf, type MessageRef } from '#console/messages/messages/message-ref.ts'
import { MessageRecord } from '#console/messages/record/record.tsx'
import { SendAgain } from '#console/messages/record/send-again.tsx'
import { DeviceLink, TimelineList } from '#console/messages/record/timeline-list.tsx'
import { messageQuery, messageStateOf, type LogRow } from './log.ts'
import { Button } from '#console/ui/button.tsx'
import { Ago } from '#console/ui/ago.tsx'
import { copyText } from '#console/ui/copy.ts'
import { CloseButton } from '#console/ui/close-button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { CopyButton } from '#console/ui/copy-button.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'

type Props = {
  messageRef: MessageRef
  /** The row, if the list has it. */
  row: LogRow | undefined
  /** Over the screen instead of next to the list. */
  modal: boolean
  onClose: () => void
}

/** One message in full: its text, its timeline, and every field the server knows. */
export default function LogPane({ messageRef, row, modal, onClose }: Props) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery(messageQuery(messageRef))
  // Once loaded, the record follows each change, and the row only while it is on screen. Until then, the record is one
  // of an earlier opening.
  const message = (isFetchedAfterMount ? { ...row, ...data } : { ...data, ...row }) as Partial<LogRow> &
    Record<string, unknown>
  const body = (
    <>
      {(row || data) && <Message guid={messageRef.guid} message={message} />}
      {error && (
        <Notice tone="bad" className="mt-4" retry={{ label: text.retry, run: () => void refetch() }}>
          {error instanceof CallFault && error.status === 404 ? words.unknownMessage : words.recordFailed}
        </Notice>
      )}
      {data && <Facts record={data} />}
    </>
  )
  if (modal) {
    return (
      <Modal title={words.pane} onClose={onClose} sheet>
        <CloseButton label={words.closePane} onClose={onClose} />
        {body}
      </Modal>
    )
  }
  return (
    <aside aria-label={words.pane} className="panel relative w-[340px] shrink-0 overflow-y-auto p-4">
      <CloseButton label={words.closePane} onClose={onClose} />
      {body}
    </aside>
  )
}

function Message({ guid, message }: { guid: string; message: Partial<LogRow> & Record<string, unknown> }) {
  const state = messageStateOf(message)
  const { tone, mark } = messageStateMarks[state]
  const reads = useReadsConversations()
  return (
    <>
      <div className="mb-1 flex h-[34px] items-center">
        <Pill tone={tone} mark={mark}>
          {words.states[state]}
        </Pill>
      </div>
      <p className="text-muted">
        {message.id !== undefined && `${words.columns.id} ${message.id} · `}
        {message.queue_timestamp && <Ago at={message.queue_timestamp} />}
        <span className="mono flex items-center gap-1 text-xs break-all">
          {guid} <CopyButton what={words.columns.guid} value={guid} />
        </span>
      </p>
      <PaneHeading>{words.columns.message}</PaneHeading>
      <p
        dir="auto"
        className="rounded-sm border border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {message.message}
      </p>
      {message.message_to && (
        <p className="mono mt-1.5 font-semibold">
          {message.message_to} <CopyButton what={words.columns.message_to} value={message.message_to} />
        </p>
      )}
      {message.device_guid && (
        <p>
          <DeviceLink uid={message.device_guid} />{' '}
          <CopyButton what={words.columns.device_guid} value={message.device_guid} />
        </p>
      )}
      {typeof message.queued_by === 'string' && (
        <p className="text-muted">
          {words.queuedBy} <span className="font-semibold break-words">{message.queued_by}</span>
        </p>
      )}
      {message.message_to && (
        <p className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-1">
          {message.message && (
            <SendAgain to={message.message_to} message={message.message} uncertain={state === 'uncertain'} />
          )}
          {reads && (
            <Link
              to="/conversations"
              search={{
                filter: 'all',
                open: message.message_to,
                company: refOf({ guid, ...message }).company,
              }}
              className="inline-flex min-h-[34px] items-center text-link underline underline-offset-2 max-md:min-h-11"
            >
              {words.conversation}
            </Link>
          )}
        </p>
      )}
      <PaneHeading>{words.way}</PaneHeading>
      <TimelineList message={message} />
    </>
  )
}

function Facts({ record }: { record: Record<string, unknown> }) {
  return (
    <>
      <PaneHeading>{words.record}</PaneHeading>
      <MessageRecord record={record} foldEmpty />
      <Button
        className="mt-4"
        onClick={() => void copyText(JSON.stringify(record, undefined, 2), words.copied)}
      >
        <Copy className="size-4" aria-hidden="true" />
        {words.copyJson}
      </Button>
    </>
  )
}

function PaneHeading({ children }: { children: string }) {
  return <h2 className="mt-4 mb-1.5 text-sm font-semibold text-muted">{children}</h2>
}
