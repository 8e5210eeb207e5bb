import {
  deleteCampaign,
  listCampaigns,
  readCampaign,
  type Campaign,
  type CampaignDetail,
  type CampaignTotals,
} from '@sdd/contract/people/campaigns.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { pagesQuery, parsePage } from '#console/core/pages.ts'
import { endedStates, openStates } from './order.ts'

/** Not parsed with their schema, as they are loaded again often. */
type CampaignList = { campaigns: Campaign[]; totals: CampaignTotals }

/** More than these never run, wait, or are drafts at once. */
const MOST_OPEN = '1000'

/** Campaigns that have not ended, and how many the search finds in each state. */
export function openCampaignsQuery(search: string | undefined) {
  return queryOptions({
    queryKey: ['campaigns', 'open', search],
    queryFn: ({ signal }): Promise<CampaignList> =>
      callApi(
        listCampaigns,
        { query: { state: openStates.join(','), search, limit: MOST_OPEN }, signal },
        (body) => body as CampaignList,
      ),
    placeholderData: keepPreviousData,
  })
}

/** Campaigns that have ended, newest first. */
export function endedCampaignsQuery(search: string | undefined) {
  return pagesQuery<Campaign>(['campaigns', 'ended', search], (cursor, signal) =>
    callApi(listCampaigns, { query: { state: endedStates.join(','), search, cursor }, signal }, (body) =>
      parsePage(body, 'campaigns'),
    ),
  )
}

export function campaignQuery(id: number) {
  return queryOptions({
    queryKey: ['campaigns', 'one', id],
    queryFn: ({ signal }): Promise<CampaignDetail> => callApi(readCampaign, { params: idOf(id), signal }),
  })
}

export async function removeCampaign(id: number): Promise<void> {
  await callApi(deleteCampaign, { params: idOf(id) })
}

/** The path of a campaign's calls. */
export function idOf(id: number): { id: string } {
  return { id: String(id) }
}
