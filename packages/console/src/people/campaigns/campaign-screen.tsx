import { countedStates } from '@sdd/contract/people/campaigns.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { campaignQuery } from './campaigns.ts'
import { campaigns as words } from './text.ts'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { Page } from '#console/ui/page.tsx'

const route = getRouteApi('/shell/campaigns/$id')

export function CampaignScreen() {
  const { id } = route.useParams()
  const { data, isError, error, refetch } = useQuery(campaignQuery(Number(id)))
  return (
    <Page title={data?.name ?? words.title}>
      <div className="min-h-0 flex-1 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:py-3">
        {isError && (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {faultText(error, words.loadFailed)}
          </Notice>
        )}
        {data && (
          <dl className="panel grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 p-4">
            <dt>{words.columns.state}</dt>
            <dd>{words.states[data.state]}</dd>
            {countedStates.map((state) => (
              <div key={state} className="contents">
                <dt>{state}</dt>
                <dd>{formatCount(data.counts[state])}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </Page>
  )
}
