import { CallFault } from '@sdd/contract/core/client.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { SquarePen } from 'lucide-react'
import { Suspense, useMemo } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { devicesQuery } from '#console/fleet/devices/devices.ts'
import { ConversationList } from './conversation-list.tsx'
import { conversationsQuery, unreadQuery } from './conversations.ts'
import { countsQuery, countText } from './counts.ts'
import { conversationFilters, type ConversationSearch } from './search.ts'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { conversations as words } from './text.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { EmptyList } from '#console/ui/list-screen.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { formatCount } from '#console/ui/numbers.ts'
import { Page } from '#console/ui/page.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { Segmented } from '#console/ui/segmented.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'
import { useSearch } from '#console/ui/use-search.ts'

const Thread = lazyPart(() => import('./thread.tsx'))
const ContactPane = lazyPart(() => import('./contact-pane.tsx'))

/** From this width on, the thread has room next to the list. */
const TWO_PANES = '(min-width: 1000px)'
/** From this width on, the contact has room next to the thread. */
const WITH_CONTACT = '(min-width: 1280px)'

const route = getRouteApi('/shell/conversations')

export function ConversationsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia(WIDE_SCREEN)
  const panes = useMedia(TWO_PANES)
  const withContact = useMedia(WITH_CONTACT)
  const { data: unread, error } = useQuery(unreadQuery)
  const { data: counts } = useQuery(countsQuery)
  const { data: devices } = useQuery(devicesQuery)
  const away = useMemo(() => {
    const gone = new Set(devices?.flatMap(({ uid, status }) => (status === 'disconnected' ? uid : [])))
    return (uid: string | null) => uid !== null && gone.has(uid)
  }, [devices])
  const change = (next: Partial<ConversationSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const { field } = useSearch(search.q, (q) => change({ q }))
  const { filter = 'open', q, open: number, company } = search
  const open = number === undefined ? undefined : { number, company }
  const close = () => {
    document.querySelector<HTMLElement>('[data-row][aria-current]')?.focus()
    change({ open: undefined, company: undefined })
  }
  useKeys({ Escape: open && close })

  if (error instanceof CallFault && error.status === 403) {
    return (
      <Page title={words.title}>
        <p className="px-6 text-muted">{text.forbidden}</p>
      </Page>
    )
  }
  const compose = (
    <Link to="/sms" className={buttonLook({ square: !wide })} aria-label={wide ? undefined : words.compose}>
      <SquarePen className="size-4" aria-hidden="true" />
      {wide && words.compose}
    </Link>
  )
  return (
    <Page
      title={words.title}
      fresh={unread?.count ?? 0}
      beside={wide && <span className="ml-auto">{compose}</span>}
    >
      <div className="flex min-h-0 flex-1 flex-col px-6 pb-4 max-md:px-0 max-md:pb-0">
        <div className="panel relative flex min-h-0 flex-1 overflow-hidden max-md:rounded-none max-md:border-x-0 max-md:border-b-0">
          {/* It stays behind a thread that has the whole window, so that it does not lose its place. */}
          <section
            aria-label={words.title}
            className={`${look.pane} ${panes || !open ? '' : 'invisible absolute inset-0'}`}
          >
            <div className="flex flex-col gap-2.5 border-b border-line bg-sunken p-3">
              <Segmented
                label={words.filtersLabel}
                choices={conversationFilters}
                labels={words.filters}
                counts={{
                  open: counts && countText(counts.open),
                  mine: counts && countText(counts.mine),
                  none: counts && countText(counts.unassigned),
                }}
                pressed={filter}
                onPress={(to) => change({ filter: to === 'open' ? undefined : to })}
              />
              <div className="flex gap-2">
                <SearchField {...field} placeholder={words.search} maxLength={200} className="flex-1" />
                {!wide && compose}
              </div>
            </div>
            <ConversationList
              key={`${filter} ${q}`}
              filter={filter}
              search={q}
              open={open}
              away={away}
              empty={
                <Empty
                  filter={filter}
                  searched={q !== undefined}
                  onClear={() => change({ filter: undefined, q: undefined })}
                />
              }
            />
          </section>
          {open ? (
            <>
              <Suspense fallback={<div aria-busy="true" className="flex-1" />}>
                <Thread
                  key={`${open.company} ${open.number}`}
                  of={open}
                  devices={devices}
                  alone={!panes}
                  withContact={withContact}
                  onClose={close}
                />
              </Suspense>
              {/* Apart, so that the thread stays while this is loaded. */}
              <Suspense>
                {withContact && <ContactPane key={`${open.company} ${open.number} contact`} of={open} />}
              </Suspense>
            </>
          ) : (
            panes && (
              <div className="grid flex-1 place-content-center gap-2 p-6 text-center text-muted">
                <p className="font-semibold">{words.nothingOpen}</p>
                <p className="text-sm">{words.hints}</p>
              </div>
            )
          )}
        </div>
        {wide && (
          <p className="flex flex-wrap gap-x-4 pt-2.5 text-sm text-muted">
            {/* If nothing is open, the pane of the thread shows them. */}
            {(open || !panes) && <span>{words.hints}</span>}
            {unread && (
              <span className="ml-auto">
                {counts && `${words.openTotal(countText(counts.open))} · `}
                {words.unreadTotal(formatCount(unread.count) + (unread.more ? '+' : ''))}
              </span>
            )}
          </p>
        )}
      </div>
    </Page>
  )
}

type Filter = (typeof conversationFilters)[number]

function Empty({ filter, searched, onClear }: { filter: Filter; searched: boolean; onClear: () => void }) {
  const said = searched ? words.emptySearch : emptyWords(filter)
  // Without an open conversation, there may be others.
  const { rows } = usePages({ ...conversationsQuery('all', undefined), enabled: said === undefined })
  if (said) return <EmptyList said={said} action={{ label: text.clearFilters, run: onClear }} />
  return (
    rows && (
      <>
        <p>{rows.length > 0 ? words.noneOpen : words.empty}</p>
        <Link to="/sms" className={`mt-3 ${buttonLook()}`}>
          {words.compose}
        </Link>
      </>
    )
  )
}

function emptyWords(filter: Filter): string | undefined {
  return filter === 'mine' || filter === 'none' ? words.emptyFilter[filter] : undefined
}
