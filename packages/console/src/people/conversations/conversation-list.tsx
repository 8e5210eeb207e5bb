import type { Conversation } from '@sdd/contract/people/conversations.ts'
import { ArrowUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { conversationsQuery, isOpen, keyOf, type ConversationRef } from './conversations.ts'
import { ConversationRow } from './conversation-row.tsx'
import type { ConversationFilter } from './search.ts'
import { freshIn, steadyRows, type SteadyRows } from './steady.ts'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { conversations as words } from './text.ts'
import { useToday } from '#console/ui/ago.tsx'
import { useKeys, useSearchExit } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'

const SKELETONS = 8
/** The next page is loaded when less than this is left to scroll, in px. */
const AHEAD_PX = 600

type Props = {
  filter: ConversationFilter
  search: string | undefined
  open: ConversationRef | undefined
  away: (uid: string | null) => boolean
  /** Shown in place of rows if there are none. */
  empty: React.ReactNode
}

/** The conversations, newest activity first. Another filter needs another key. */
export function ConversationList({ filter, search, open, away, empty }: Props) {
  const { rows: loaded, failed, hasMore, more, retry } = usePages(conversationsQuery(filter, search))
  const today = useToday()
  const list = useRef<HTMLUListElement>(null)
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const { rows, fresh, bringIn } = useSteadyRows(loaded, { held: pointed || focused, open })
  useKeys({ j: () => walk(list.current, 1), k: () => walk(list.current, -1) })
  useReturn(open, (closed) => {
    const at = rows?.findIndex((row) => isOpen(row, closed)) ?? -1
    list.current?.querySelectorAll<HTMLElement>('[data-row]')[at]?.focus({ preventScroll: true })
  })
  useSearchExit(() => list.current?.querySelector<HTMLElement>('[data-row]')?.focus())

  function loadAhead(): void {
    if (!hasMore || !list.current) return
    const { scrollHeight, scrollTop, clientHeight } = list.current
    if (scrollHeight - scrollTop - clientHeight < AHEAD_PX) more()
  }
  // Also after each load: during one nothing more is loaded, and a list at its end scrolls no further.
  useEffect(loadAhead)

  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      // Not only in the list, or the button would be gone under the pointer on its way to it.
      onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
    >
      {failed && (
        <Notice tone="bad" className="mx-3 mt-3" retry={{ label: text.retry, run: retry }}>
          <span>{failed === 'rest' ? text.moreFailed : words.loadFailed}</span>{' '}
          {rows && failed === 'all' && text.kept}
        </Notice>
      )}
      {fresh > 0 && (
        <button
          type="button"
          className={look.fresh}
          onClick={() => {
            bringIn()
            list.current?.scrollTo({ top: 0 })
          }}
        >
          <ArrowUp className="size-4" aria-hidden="true" />
          {words.fresh(fresh)}
        </button>
      )}
      {rows?.length === 0 ? (
        <div className="p-6 text-center text-muted">{empty}</div>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only notes where the focus is
        <ul
          ref={list}
          aria-label={words.list}
          aria-busy={!rows || undefined}
          className="min-h-0 flex-1 overflow-y-auto"
          onScroll={loadAhead}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        >
          {rows?.map((row) => (
            <ConversationRow
              key={keyOf(row)}
              row={row}
              isOpen={open !== undefined && isOpen(row, open)}
              away={away(row.device_uid)}
              replaces={open !== undefined}
              today={today}
            />
          ))}
          {!rows && !failed && Array.from({ length: SKELETONS }, (_, n) => <SkeletonRow key={n} />)}
        </ul>
      )}
    </div>
  )
}

function SkeletonRow() {
  return (
    <li aria-hidden="true" className={`px-4 py-3 ${look.item}`}>
      <span className="block h-3 w-32 rounded-sm bg-line" />
      <span className="mt-2.5 block h-3 w-full rounded-sm bg-line" />
    </li>
  )
}

/** The loaded rows in an order that does not change under the pointer or the focus. */
function useSteadyRows(
  loaded: readonly Conversation[] | undefined,
  { held, open }: { held: boolean; open: ConversationRef | undefined },
) {
  const [kept, keep] = useState<{
    loaded: typeof loaded
    held: boolean
    shown: SteadyRows | undefined
  }>({ loaded: undefined, held, shown: undefined })
  let { shown } = kept
  if (kept.loaded !== loaded || kept.held !== held) {
    const own = open && shown?.rows.find((row) => isOpen(row, open))
    shown = loaded && steadyRows(shown, loaded, { held, open: own && keyOf(own) })
    keep({ loaded, held, shown })
  }
  return {
    rows: shown?.rows,
    fresh: loaded && shown ? freshIn(loaded, shown) : 0,
    bringIn: () =>
      keep({ loaded, held, shown: loaded && steadyRows(undefined, loaded, { held, open: undefined }) }),
  }
}

/** Passes the conversation whose thread was closed, if the focus was in there. */
function useReturn(open: ConversationRef | undefined, focus: (closed: ConversationRef) => void): void {
  const last = useRef(open)
  useEffect(() => {
    if (last.current && !open && document.activeElement === document.body) focus(last.current)
    last.current = open
  })
}

/** Moves the focus to the next or previous row; from elsewhere, to the open or the first one. */
function walk(list: HTMLElement | null, step: 1 | -1): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const at = rows.findIndex((row) => row === document.activeElement)
  const open = rows.findIndex((row) => row.hasAttribute('aria-current'))
  const next = at >= 0 ? at + step : open >= 0 ? open + step : 0
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus()
}
