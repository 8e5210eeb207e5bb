import { CallFault } from '@sdd/contract/core/client.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useLive } from '#console/core/live/live-context.ts'
import { throttled } from '#console/core/live/refresh.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { CampaignActions } from './campaign-actions.tsx'
import { CampaignProgress } from './campaign-progress.tsx'
import { campaignQuery } from './campaigns.ts'
import { EndReasons } from './end-reasons.tsx'
import { Failures } from './failures.tsx'
import { KeyFigures } from './key-figures.tsx'
import { campaignPage as words } from './page-text.ts'
import { PhasePill } from './phase-pill.tsx'
import { partIn, phaseOf } from './progress.ts'
import type { CampaignSearch } from './search.ts'
import { campaigns as listWords } from './text.ts'
import { useNow } from '#console/ui/ago.tsx'
import { buttonLook } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { useMedia } from '#console/ui/use-media.ts'

const RowList = lazyPart(() => import('./row-list.tsx'))

/** From this width on, the actions have room next to the name. */
const WITH_ACTIONS = '(min-width: 1120px)'

const route = getRouteApi('/shell/campaigns/$id')

/** One campaign: how far, when it ends, what fails, and what became of each row. */
export function CampaignScreen() {
  const { id } = route.useParams()
  const wide = useMedia(WITH_ACTIONS)
  // State, not a ref: the list below it mounts later.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const { data, isError, error, refetch } = useQuery(campaignQuery(Number(id)))
  const now = useNow()
  useFollowDevices(data?.state === 'running')
  const unknown = !/^[1-9]\d*$/.test(id) || (error instanceof CallFault && error.code === 'unknown_campaign')
  return (
    <Page title={data?.name ?? listWords.title} beside={wide && data && <CampaignActions campaign={data} />}>
      <div
        ref={setScroller}
        className="@container relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:py-3"
      >
        <p className="flex items-center justify-between">
          <Link
            to="/campaigns"
            className="inline-flex min-h-6 w-fit items-center gap-1.5 text-sm text-link max-md:min-h-11"
          >
            <ArrowLeft className="size-4" aria-hidden="true" />
            {words.back}
          </Link>
          {data && !wide && <PhasePill phase={phaseOf(data, now)} />}
        </p>
        {unknown ? (
          <Notice tone="warn">{words.unknown}</Notice>
        ) : (
          isError && (
            <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
              {words.loadFailed} {data && text.kept}
            </Notice>
          )
        )}
        {!data && !isError && !unknown && <Skeleton kind="form" />}
        {data && !wide && <CampaignActions campaign={data} />}
        {data && <Contents campaign={data} scroller={scroller} />}
      </div>
    </Page>
  )
}

function Contents({ campaign, scroller }: { campaign: CampaignDetail; scroller: HTMLElement | null }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const manages = holds(useRole(), 'campaigns:manage')
  const { state } = campaign
  const part = partIn(search.state)
  const change = (next: Partial<CampaignSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const goes = state === 'running' || state === 'scheduled'
  return (
    <>
      {state === 'draft' ? (
        <Notice tone="warn">
          {words.draft}{' '}
          {manages && (
            <Link
              to="/campaigns/new"
              search={{ draft: String(campaign.id) }}
              className={`ml-2 ${buttonLook({ size: 'sm' })}`}
            >
              {words.goOn}
            </Link>
          )}
        </Notice>
      ) : (
        <>
          <CampaignProgress
            campaign={campaign}
            shown={search.reason === undefined ? part : undefined}
            onShow={(next) => change({ state: next, reason: undefined, row: undefined })}
          />
          <KeyFigures campaign={campaign} />
        </>
      )}
      <div className="grid grid-cols-1 items-start gap-3 xl:grid-cols-[minmax(0,1fr)_312px]">
        {/* Before the table where both are in one column, as the table has no end. */}
        <div className="flex min-w-0 flex-col gap-3 empty:hidden xl:order-2">
          {goes && <EndReasons campaign={campaign} />}
          <Failures
            campaign={campaign}
            shown={{ state: part, reason: search.reason }}
            onShow={(next) => change({ ...next, row: undefined })}
          />
        </div>
        <Suspense fallback={<Skeleton kind="form" />}>
          <RowList campaign={campaign} part={part} search={search} scroller={scroller} onChange={change} />
        </Suspense>
      </div>
    </>
  )
}

/** A device that goes or returns moves the end at once, before any message does. */
function useFollowDevices(follows: boolean): void {
  const live = useLive()
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!follows) return undefined
    // Each load works out the estimate, and devices change often.
    return live.onStatus(throttled(() => queryClient.invalidateQueries({ queryKey: ['campaigns', 'one'] })))
  }, [live, queryClient, follows])
}
