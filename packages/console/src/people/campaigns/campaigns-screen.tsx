import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useCompanyColumn } from '#console/accounts/companies/companies.tsx'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { usePages } from '#console/core/pages.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { CampaignFilters } from './campaign-filters.tsx'
import { firstCampaignColumns, lastCampaignColumns, removeCampaignColumn } from './campaign-columns.tsx'
import { endedCampaignsQuery, openCampaignsQuery } from './campaigns.ts'
import { campaignFilters, filterIn, inOrder, ranksOf, type CampaignFilter, type Ranks } from './order.ts'
import { campaigns as words } from './text.ts'
import { buttonLook } from '#console/ui/button.tsx'
import { copyText } from '#console/ui/copy.ts'
import { useKeys } from '#console/ui/keys.ts'
import { EmptyList, ListScreen } from '#console/ui/list-screen.tsx'
import { Page } from '#console/ui/page.tsx'
import { SearchField } from '#console/ui/search-field.tsx'
import { useMedia, WIDE_SCREEN } from '#console/ui/use-media.ts'
import { useSearch } from '#console/ui/use-search.ts'

const RemoveDialog = lazyPart(() => import('./remove-dialog.tsx'))

const route = getRouteApi('/shell/campaigns')

export function CampaignsScreen() {
  const { state, q } = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useMedia(WIDE_SCREEN)
  const manages = holds(useRole(), 'campaigns:manage')
  const filter = filterIn(state)
  const open = useQuery(openCampaignsQuery(q))
  const ended = usePages(endedCampaignsQuery(q))
  const rows = useOrdered(open.data?.campaigns, ended.rows)
  const shown = useMemo(() => rows?.filter(({ state: its }) => isIn(filter, its)), [rows, filter])
  const columns = useCompanyColumn(
    firstCampaignColumns(),
    manages ? [...lastCampaignColumns(), ...removeCampaignColumn()] : lastCampaignColumns(),
    'card:hidden',
  )
  const [removing, setRemoving] = useState<Campaign>()
  const change = (next: { state?: CampaignFilter | undefined; q?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const { field, clear } = useSearch(q, (value) => change({ q: value?.trim() || undefined }))
  const show = ({ id, state: its }: Campaign) =>
    void (its === 'draft' && manages
      ? navigate({ to: '/campaigns/new', search: { draft: String(id) } })
      : navigate({ to: '/campaigns/$id', params: { id: String(id) } }))
  const add = () => void navigate({ to: '/campaigns/new' })
  useKeys({ n: manages ? add : undefined })
  const failed = open.isError ? ('all' as const) : ended.failed
  const retry = () => void (open.isError ? open.refetch() : ended.retry())

  const adding = manages && (
    <Link to="/campaigns/new" className={`ml-auto ${buttonLook({ tone: 'primary' })}`}>
      <Plus className="size-4" aria-hidden="true" />
      {words.add}
    </Link>
  )
  return (
    <Page title={words.title} beside={wide && adding}>
      <div className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-4 max-md:px-3 max-md:pt-3 max-md:pb-3">
        <ListScreen
          list={{
            rows,
            failed,
            retry,
            hasMore: ended.hasMore && isIn(filter, 'finished'),
            more: ended.more,
            previous: open.isPlaceholderData || ended.previous,
          }}
          shown={shown}
          words={words}
          bar={
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5 max-md:gap-x-2.5">
              <CampaignFilters
                totals={open.data?.totals}
                shown={filter}
                onShow={(next) => change({ state: next })}
              />
              <span className="ml-auto flex gap-2.5 max-md:w-full">
                <SearchField
                  {...field}
                  placeholder={words.search}
                  className="w-[250px] max-md:w-0 max-md:flex-1"
                />
                {!wide && adding}
              </span>
            </div>
          }
          keyOf={keyOf}
          columns={columns}
          cards="'name name remove' auto 'state ends ends' auto 'progress progress progress' auto/auto 1fr auto"
          rowLook="card:min-h-[124px] card:gap-y-1.5"
          tabular="(min-width: 1437px)"
          rowHeight={{ table: 50, card: 132 }}
          acts={{ open: show, remove: setRemoving }}
          onRow={show}
          onCopy={({ name }) => void copyText(name, words.copied(name))}
          empty={
            filter === undefined && q === undefined ? (
              <EmptyList
                said={words.empty}
                hint={words.emptyHint}
                action={manages && { label: words.add, run: add }}
              />
            ) : (
              <EmptyList
                said={words.emptyFiltered}
                action={{
                  label: text.clearFilters,
                  run() {
                    clear()
                    change({ state: undefined, q: undefined })
                  },
                }}
              />
            )
          }
        />
        <p className="flex justify-between gap-4 text-sm text-muted max-md:hidden">
          <span>{words.hints}</span>
          <span>{words.ofDone}</span>
        </p>
        <Suspense>
          {removing && (
            <RemoveDialog
              campaign={removing}
              onRemoved={() => setRemoving(undefined)}
              onClose={() => setRemoving(undefined)}
            />
          )}
        </Suspense>
      </div>
    </Page>
  )
}

/** The campaigns in order. One that ends keeps its place while the screen is shown. */
function useOrdered(
  open: readonly Campaign[] | undefined,
  ended: readonly Campaign[] | undefined,
): Campaign[] | undefined {
  const [ranks, setRanks] = useState<Ranks>({})
  const rows = useMemo(() => open && ended && [...open, ...ended], [open, ended])
  const next = rows ? ranksOf(rows, ranks) : ranks
  if (next !== ranks) setRanks(next)
  return useMemo(() => rows && inOrder(rows, next), [rows, next])
}

function isIn(filter: CampaignFilter | undefined, state: Campaign['state']): boolean {
  return filter === undefined || (campaignFilters[filter] as readonly string[]).includes(state)
}

function keyOf({ id }: Campaign): number {
  return id
}
