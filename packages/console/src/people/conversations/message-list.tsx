import type { ConversationMessage, SenderKind } from '@sdd/contract/people/conversations.ts'
import { KeyRound, type LucideIcon, Megaphone, Server, Smartphone, UserRound } from 'lucide-react'
import { Suspense, useState, type ReactNode } from 'react'
import type { Device } from '#console/fleet/devices/devices.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import type { ConversationRef } from './conversations.ts'
import { dayHeading } from './days.ts'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { conversations as words } from './text.ts'
import { RepeatAction, WaitActions, type SentMessage } from './message-actions.tsx'
import { WaitBox } from './wait-box.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'
import { dayTime, hourTime, isSameDay } from '#console/ui/time.ts'

const RerouteDialog = lazyPart(() => import('./reroute-dialog.tsx'))

/** A device has accepted the message, or is told to drop it: nothing else can be done about it. */
const IN_HAND = new Set<string | null>(['accepted', 'discarding'])

/** Messages of one author within this time share the line below them, in ms. */
const TOGETHER_MS = 60_000

type Props = {
  /** Oldest first. */
  messages: readonly ConversationMessage[]
  devices: readonly Device[] | undefined
  of: ConversationRef
}

/** The messages by day: received ones on the left, sent ones on the right. */
export function MessageList({ of, messages, devices }: Props) {
  // A copy: the dialog cancels the message first, which then no longer waits, and stays until the text is sent.
  const [rerouted, setRerouted] = useState<SentMessage>()
  return (
    <>
      <ol aria-label={words.messages} className="flex flex-col">
        {messages.map((message, n) => {
          const before = messages[n - 1]
          const opensDay = !before || !isSameDay(before.at, message.at)
          return (
            <li key={message.id} data-message={message.id}>
              {opensDay && <DayHeading at={message.at} />}
              <Bubble message={message} bare={isTogether(message, messages[n + 1])}>
                <RepeatAction of={of} message={message} />
              </Bubble>
              {message.waiting_for && (
                <WaitBox message={message} devices={devices}>
                  {!IN_HAND.has(message.waiting_code) && (
                    <WaitActions of={of} message={message} onReroute={setRerouted} />
                  )}
                </WaitBox>
              )}
            </li>
          )
        })}
      </ol>
      <Suspense>
        {rerouted && (
          <RerouteDialog
            of={of}
            message={rerouted}
            devices={devices}
            onClose={() => setRerouted(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

function DayHeading({ at }: { at: string }) {
  return <p className={look.day}>{dayHeading(at)}</p>
}

function Bubble({
  message,
  bare,
  children,
}: {
  message: ConversationMessage
  bare: boolean
  children: ReactNode
}) {
  const sent = message.direction === 'out'
  return (
    <div className={`mb-2 flex flex-col gap-1 ${sent ? 'items-end' : 'items-start'}`}>
      <p dir="auto" className={look.bubble} data-sent={sent || undefined}>
        {message.text}
      </p>
      {!bare && (
        <p
          className={`flex flex-wrap items-center gap-x-2.5 text-sm text-muted ${sent ? 'justify-end' : ''}`}
        >
          <time dateTime={message.at} title={dayTime(message.at)} className="tabular-nums">
            {hourTime(Date.parse(message.at))}
          </time>
          {sent ? <Sent message={message} /> : <CameBy message={message} />}
          {children}
        </p>
      )}
    </div>
  )
}

function CameBy({ message: { device_uid, sim } }: { message: ConversationMessage }) {
  const by = [device_uid && words.cameBy(device_uid), sim && words.sim(sim)].filter(Boolean)
  return by.length > 0 && <span className="break-all">{by.join(' · ')}</span>
}

function Sent({ message }: { message: ConversationMessage }) {
  const { by_kind, state } = message
  const by = by_kind === 'phone' ? words.typed(message.device_uid ?? '') : message.by
  const ByIcon = senderIcons[by_kind ?? 'user']
  const { mark, color } = messageStateMarks[state ?? 'queued']
  const why = outcomes.errorMsg(message)
  return (
    <>
      {by !== null && (
        <span className="inline-flex items-center gap-1">
          <ByIcon className="size-3.5" strokeWidth={1.75} aria-hidden="true" />
          {by}
        </span>
      )}
      <b className={`inline-flex items-center gap-1 font-semibold ${color}`}>
        <MarkIcon mark={mark} />
        {words.states[state ?? 'queued']}
      </b>
      {state === 'uncertain' ? (
        <span>{words.notKnown}</span>
      ) : (
        why && (
          <span className="text-bad">
            <TimedText>{why}</TimedText>
          </span>
        )
      )}
    </>
  )
}

const senderIcons: Record<SenderKind, LucideIcon> = {
  user: UserRound,
  api_key: KeyRound,
  campaign: Megaphone,
  server: Server,
  phone: Smartphone,
}

function isTogether(message: ConversationMessage, next: ConversationMessage | undefined): boolean {
  if (!next || message.waiting_for || ['failed', 'uncertain'].includes(message.state ?? '')) return false
  return (
    next.direction === message.direction &&
    next.by === message.by &&
    next.by_kind === message.by_kind &&
    next.state === message.state &&
    next.device_uid === message.device_uid &&
    isSameDay(message.at, next.at) &&
    Math.abs(Date.parse(next.at) - Date.parse(message.at)) < TOGETHER_MS
  )
}
