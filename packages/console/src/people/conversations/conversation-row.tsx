import type { Conversation } from '@sdd/contract/people/conversations.ts'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { refOf } from './conversations.ts'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { conversations as words } from './text.ts'
import { dayWord } from './days.ts'
import { MarkIcon, Pill } from '#console/ui/marks.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'
import { dayTime } from '#console/ui/time.ts'

type Props = {
  row: Conversation
  isOpen: boolean
  /** Its device is disconnected. */
  away: boolean
  /** A conversation is open, so that Back closes it, and not each one that was read. */
  replaces: boolean
  /** When the current day began, in ms. */
  today: number
}

/** A conversation in two lines: who and when; and its last message, how far that came, and who takes care of it. */
export const ConversationRow = memo(function ConversationRow({ row, isOpen, away, replaces, today }: Props) {
  useLanguage()
  const { number, name, last_at, unread, opted_out, device_uid } = row
  const { number: open, company } = refOf(row)
  return (
    <li className={look.item}>
      <Link
        to="/conversations"
        search={(now) => ({ ...now, open, company })}
        replace={replaces}
        data-row
        aria-current={isOpen ? 'true' : undefined}
      >
        <span className="flex items-center gap-2">
          <b
            className={`min-w-0 truncate ${unread > 0 ? 'font-bold' : 'font-medium'} ${name === null ? 'mono' : ''}`}
          >
            {name ?? number}
          </b>
          {opted_out && (
            <Pill tone="off" mark="struck">
              {words.optedOut}
            </Pill>
          )}
          {away && (
            <span
              className="flex min-w-0 items-center gap-1 text-sm text-bad"
              title={words.away(device_uid ?? '')}
            >
              <MarkIcon mark="square" label={words.away(device_uid ?? '')} />
              <span className="truncate">{device_uid}</span>
            </span>
          )}
          <time
            dateTime={last_at}
            title={dayTime(last_at)}
            className="ml-auto shrink-0 text-xs text-muted tabular-nums"
          >
            {dayWord(last_at, new Date(today))}
          </time>
        </span>
        <LastMessage row={row} />
      </Link>
    </li>
  )
})

function LastMessage({ row }: { row: Conversation }) {
  const { last_text, last_state, unread, assigned_to } = row
  const { mark, color } = last_state
    ? messageStateMarks[last_state]
    : { mark: 'received' as const, color: 'text-off' }
  return (
    <span className="flex h-5 items-center gap-2">
      <span className={color}>
        <MarkIcon mark={mark} label={last_state ? words.states[last_state] : words.received} />
      </span>
      <span
        className={`min-w-0 flex-1 truncate text-sm ${unread > 0 ? 'font-semibold text-ink' : 'text-muted'}`}
      >
        {last_state === 'failed' && (
          <span className="text-bad">
            <TimedText>{failureOf(row)}</TimedText>{' '}
          </span>
        )}
        <bdi>{last_text}</bdi>
      </span>
      {assigned_to && (
        <span
          title={words.assigned(assigned_to.name)}
          className="shrink-0 rounded-[3px] border border-line px-1 text-xs font-semibold text-muted"
        >
          <span aria-hidden="true">{initialsOf(assigned_to.name)}</span>
          <span className="sr-only">{words.assigned(assigned_to.name)}</span>
        </span>
      )}
      {unread > 0 && (
        <span className={look.unread}>
          <span aria-hidden="true">{unread}</span>
          <span className="sr-only">{words.unread(unread)}</span>
        </span>
      )}
    </span>
  )
}

/** Why the last message failed: the name of the cause, which is short, or a sentence. */
function failureOf({ last_error_msg, last_error_msg_code, last_error_msg_params }: Conversation): string {
  const code = last_error_msg_code ?? ''
  const cause = outcomes.cause(code)
  if (code !== '' && code !== 'device_said' && cause !== code) return `${cause}.`
  const said = outcomes.errorMsg({
    error_msg: last_error_msg,
    error_msg_code: last_error_msg_code,
    error_msg_params: last_error_msg_params,
  })
  return `${(said ?? words.states.failed).replace(/\.$/, '')}.`
}

/** `MS` of Marta Sanz. */
function initialsOf(name: string): string {
  return name
    .split(/\s+/)
    .slice(0, 2)
    .map((part) => [...part][0]?.toUpperCase() ?? '')
    .join('')
}
