import type { Conversation } from '@sdd/contract/people/conversations.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { ArrowLeft, ContactRound } from 'lucide-react'
import { Suspense, useState, type ComponentProps, type UIEvent } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { Composer } from './composer.tsx'
import { threadQuery, type ConversationRef } from './conversations.ts'
import { MessageList } from './message-list.tsx'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { OptedOutBox } from './opted-out-box.tsx'
import { ThreadActions } from './thread-actions.tsx'
import { conversations as words } from './text.ts'
import { useReadMark } from './use-read-mark.ts'
import { Button } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const PersonDialog = lazyPart(() => import('./person-dialog.tsx'))

type Props = {
  of: ConversationRef
  /** Undefined until loaded. */
  devices: readonly Device[] | undefined
  /** The list is not next to it. */
  alone: boolean
  /** The contact is shown next to the thread. */
  withContact: boolean
  onClose: () => void
}

/** The next page of earlier messages is loaded when less than this is left to scroll, in px. */
const AHEAD_PX = 400

/** A number as the server keeps it, or a short code. Other senders cannot be answered. */
const CAN_BE_WRITTEN_TO = /^(\+\d{7,15}|\d{3,6})$/

/** The messages exchanged with one number, and the field to answer. Another number needs another key. */
export default function Thread({ of, devices, alone, withContact, onClose }: Props) {
  const [asksWho, setAsksWho] = useState(false)
  const query = useInfiniteQuery(threadQuery(of))
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query
  const earlier = () => void (hasNextPage && !isFetching && fetchNextPage())
  const leaveUnread = useReadMark(of, query)
  const writes = useLocation({ select: ({ state }) => state.writes === true })
  const { conversation, messages } = data ?? {}
  const isUnknown = data !== undefined && conversation === undefined
  const isFirst = isUnknown && CAN_BE_WRITTEN_TO.test(of.number)

  function scrolled({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent): void {
    // The scroller is reversed: its position counts from its end.
    if (scrollHeight + scrollTop - clientHeight < AHEAD_PX) earlier()
  }

  return (
    <section aria-label={conversation?.name ?? of.number} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-[54px] items-center gap-3 border-b border-line px-4 py-2 max-md:flex-wrap max-md:px-1">
        {alone && (
          <Button tone="ghost" square aria-label={words.back} onClick={onClose}>
            <ArrowLeft className="size-[18px]" aria-hidden="true" />
          </Button>
        )}
        <div className="min-w-0 flex-1 leading-tight">
          <h2 className={`truncate text-lg font-bold ${conversation?.name ? '' : 'mono'}`}>
            {conversation?.name ?? of.number}
          </h2>
          {conversation?.name && <p className="mono text-sm text-muted">{of.number}</p>}
        </div>
        {!withContact && (
          <Button
            tone="ghost"
            square
            aria-label={words.person.title}
            title={words.person.title}
            onClick={() => setAsksWho(true)}
          >
            <ContactRound className="size-[18px]" aria-hidden="true" />
          </Button>
        )}
        {conversation && (
          <ThreadActions
            of={of}
            conversation={conversation}
            hasReceived={hasNextPage || messages?.some(({ direction }) => direction === 'in') === true}
            onUnread={leaveUnread}
          />
        )}
      </header>
      {(error || (isUnknown && !isFirst)) && (
        <Notice tone="bad" className="mx-3 mt-3" retry={{ label: text.retry, run: () => void refetch() }}>
          <span>{error ? words.threadFailed : words.unknown}</span> {error && data && text.kept}
        </Notice>
      )}
      <section
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows scrolling by keyboard
        tabIndex={0}
        aria-label={words.messages}
        className={look.scroller}
        onScroll={scrolled}
      >
        {messages && conversation ? (
          <div className="flex flex-col">
            {hasNextPage && (
              <Button size="sm" className="mx-auto mb-3" onClick={earlier} aria-disabled={isFetching}>
                {words.earlier}
              </Button>
            )}
            <MessageList of={of} messages={messages} devices={devices} />
          </div>
        ) : (
          !error && !data && <Skeleton kind="record" />
        )}
        {isFirst && <p className="m-auto text-muted">{words.noMessages}</p>}
      </section>
      <Suspense>
        {asksWho && !withContact && <PersonDialog of={of} onClose={() => setAsksWho(false)} />}
      </Suspense>
      {(conversation || isFirst) && (
        <Answering
          of={of}
          conversation={conversation}
          messages={messages ?? []}
          devices={devices}
          focused={writes}
        />
      )}
    </section>
  )
}

/** The composer, or why there is none. */
function Answering({
  conversation,
  ...composer
}: { conversation: Conversation | undefined } & ComponentProps<typeof Composer>) {
  if (conversation?.opted_out) return <OptedOutBox of={composer.of} />
  if (conversation?.answerable !== false) return <Composer {...composer} />
  return <p className="border-t border-line bg-sunken p-4 text-muted max-md:px-3">{words.notAnswerable}</p>
}
