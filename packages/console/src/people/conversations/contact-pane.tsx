import type { Contact } from '@sdd/contract/people/contacts.ts'
import type { ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { Suspense, useState, type ReactNode } from 'react'
import { formats } from '#console/core/formats.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'
import { contactQuery } from '#console/people/contacts/contacts.ts'
import { threadQuery, type ConversationRef } from './conversations.ts'
import { dayWord } from './days.ts'
import { LineButton } from './line-button.tsx'
import { Receives } from './receives.tsx'
import { conversations as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { CopyButton } from '#console/ui/copy-button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'

const ContactDialog = lazyPart(() => import('#console/people/contacts/contact-dialog.tsx'))

const LAST_SENT = 5

/** Who the other person is: their contact, and the last messages that were sent to them. */
export default function ContactPane({ of }: { of: ConversationRef }) {
  return (
    <aside
      aria-label={words.person.title}
      className="flex w-[284px] flex-none flex-col overflow-y-auto border-l border-line"
    >
      <Person of={of} />
    </aside>
  )
}

/** The same, wherever it is shown. */
export function Person({ of }: { of: ConversationRef }) {
  const { number, company } = of
  const client = useQueryClient()
  const [edits, setEdits] = useState(false)
  const { data: contact, error, refetch } = useQuery(contactQuery(number, company))
  const { data: thread } = useInfiniteQuery(threadQuery(of))
  const sent = thread?.messages.filter(({ direction }) => direction === 'out').slice(-LAST_SENT)
  return (
    <>
      <header className="flex min-h-[54px] items-center gap-2 border-b border-line px-4 py-2 leading-tight">
        <div className="min-w-0 flex-1">
          {contact?.name && (
            <b className="block truncate" lang="">
              {contact.name}
            </b>
          )}
          <span className="flex items-center gap-1">
            <span className="mono truncate text-sm text-muted">{number}</span>
            <CopyButton what={words.person.number} value={number} />
          </span>
        </div>
        {contact && (
          <Button
            tone="ghost"
            square
            aria-label={words.person.edit}
            title={words.person.edit}
            onClick={() => setEdits(true)}
          >
            <Pencil className="size-4" aria-hidden="true" />
          </Button>
        )}
      </header>
      {contact === null && (
        <Part title={words.person.data}>
          <p className="flex flex-wrap gap-x-2 text-sm text-muted">
            {words.person.unknown}
            <LineButton onClick={() => setEdits(true)}>{words.person.add}</LineButton>
          </p>
        </Part>
      )}
      {error && (
        <Notice tone="bad" className="m-3" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.person.failed}
        </Notice>
      )}
      {contact && <Known contact={contact} onEdit={() => setEdits(true)} />}
      {sent && sent.length > 0 && (
        <Part title={words.person.lastSent}>
          <LastSent messages={sent.toReversed()} />
        </Part>
      )}
      {thread?.conversation?.answerable && (
        <section className="px-4 py-3">
          <Receives of={of} messages={thread.messages} optedOut={thread.conversation.opted_out} />
        </section>
      )}
      <Suspense>
        {edits && (
          <ContactDialog
            number={number}
            company={company}
            creates
            onClose={() => setEdits(false)}
            onChanged={() => {
              setEdits(false)
              void client.invalidateQueries({ queryKey: ['contacts'] })
              void client.invalidateQueries({ queryKey: ['conversations'] })
            }}
          />
        )}
      </Suspense>
    </>
  )
}

function Known({ contact: { fields, lists, consent }, onEdit }: { contact: Contact; onEdit: () => void }) {
  const named = Object.entries(fields)
  return (
    <>
      {named.length > 0 && (
        <Part title={words.person.data}>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm" lang="">
            {named.map(([name, value]) => (
              <div key={name} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-muted">{name}</dt>
                <dd className="text-right wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        </Part>
      )}
      <Part title={words.person.lists}>
        <p className="flex flex-wrap items-center gap-1.5 text-sm">
          {lists.map((list) => (
            <span key={list} lang="" className="rounded-[3px] border border-line px-1.5">
              {list}
            </span>
          ))}
          <LineButton onClick={onEdit}>{words.person.addToList}</LineButton>
        </p>
      </Part>
      <Part title={words.person.consent}>
        {consent ? (
          <p className="text-sm">
            <span className="flex items-center gap-1.5">
              <MarkIcon mark="check" className="size-3 text-ok" />
              <span className="wrap-anywhere" lang="">
                {consent.how}
              </span>
            </span>
            <span className="text-muted">
              {words.person.consentSince(formats.dayOfYear(new Date(consent.given_at)))}
            </span>
          </p>
        ) : (
          <p className="text-sm text-muted">{words.person.noConsent}</p>
        )}
      </Part>
    </>
  )
}

function LastSent({ messages }: { messages: readonly ConversationMessage[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {messages.map(({ id, text: sent, at, state }) => {
        const { mark, color } = messageStateMarks[state ?? 'queued']
        return (
          <li key={id} className="flex items-center gap-2">
            <span className={color}>
              <MarkIcon mark={mark} label={words.states[state ?? 'queued']} />
            </span>
            <span className="min-w-0 flex-1 truncate" lang="" dir="auto">
              {sent}
            </span>
            <time dateTime={at} className="text-muted tabular-nums">
              {dayWord(at)}
            </time>
          </li>
        )
      })}
    </ul>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-b border-line px-4 py-3 last:border-0">
      <h3 className="mb-1.5 text-sm font-semibold text-muted">{title}</h3>
      {children}
    </section>
  )
}
