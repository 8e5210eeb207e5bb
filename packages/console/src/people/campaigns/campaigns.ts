import {
  changeCampaign,
  createCampaign,
  deleteCampaign,
  exportRows,
  listCampaigns,
  listRows,
  pauseCampaign,
  previewCampaign,
  readCampaign,
  resumeCampaign,
  retryCampaign,
  startCampaign,
  stopCampaign,
  uploadRows,
  rowStates,
  type Campaign,
  type CampaignDetail,
  type CampaignPreview,
  type CampaignRow,
  type CampaignTotals,
  type NewCampaign,
} from '@sdd/contract/people/campaigns.ts'
import type { Input } from '@sdd/contract/core/client.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callApi, download } from '#console/core/api.ts'
import { pagesQuery, parsePage } from '#console/core/pages.ts'
import { endedStates, openStates } from './order.ts'
import { parts, type Part } from './progress.ts'

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

export type RowFilter = Input<typeof exportRows>['query']

const PAGE = '100'
/** A cursor of the rows that wait for their messages: they follow all others. */
const PENDING = 'pending '

/**
 * The rows of a campaign: those that have begun, the last ones first, then those whose turn comes, the next ones first.
 */
export function rowsQuery(
  id: number,
  {
    part,
    reason,
    search,
  }: { part: Part | undefined; reason: string | undefined; search: string | undefined },
) {
  const filter = { reason, search }
  const states = part === undefined ? begunStates : parts[part]
  const load = (order: 'asc' | 'desc', state: string, cursor: string | undefined, signal: AbortSignal) =>
    callApi(
      listRows,
      { params: idOf(id), query: { ...filter, state, order, limit: PAGE, cursor }, signal },
      (body) => parsePage<CampaignRow>(body, 'rows'),
    )
  async function loadPending(cursor: string | undefined, signal: AbortSignal) {
    const { rows, next } = await load('asc', 'pending', cursor, signal)
    return { rows, next: next && PENDING + next }
  }
  return pagesQuery<CampaignRow>(['campaigns', 'rows', id, part, filter], async (cursor, signal) => {
    if (cursor?.startsWith(PENDING)) return loadPending(cursor.slice(PENDING.length), signal)
    const page = await load('desc', states.filter((state) => state !== 'pending').join(','), cursor, signal)
    if (page.next !== undefined || (part !== undefined && part !== 'queue')) return page
    const { rows, next } = await loadPending(undefined, signal)
    return { rows: [...page.rows, ...rows], next }
  })
}

/** Resolves to rows of a campaign as a CSV file. */
export function downloadRows(
  id: number,
  filter: RowFilter,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (bytes: number) => void },
) {
  return download(exportRows, { params: idOf(id), query: filter, signal }, onBytes)
}

const begunStates = rowStates.filter((state) => state !== 'pending')

const actions = { pause: pauseCampaign, resume: resumeCampaign, stop: stopCampaign }
export type CampaignAction = keyof typeof actions

export function actOn(id: number, action: CampaignAction): Promise<Campaign> {
  return callApi(actions[action], { params: idOf(id) })
}

/** Resolves to a draft with the failed rows, or those that failed for one reason, which trying again may help. */
export function retryRows(id: number, reason: string | undefined): Promise<Campaign> {
  return callApi(retryCampaign, { params: idOf(id), query: { reason } })
}

export async function removeCampaign(id: number): Promise<void> {
  await callApi(deleteCampaign, { params: idOf(id) })
}

/** Creates a draft in the given company (undefined: the user's own), or replaces what it says. */
export function putDraft(id: number | undefined, body: NewCampaign, company?: string): Promise<Campaign> {
  return id === undefined
    ? callApi(createCampaign, { query: { company }, body })
    : callApi(changeCampaign, { params: idOf(id), body })
}

/** Stores rows of a draft. The same call again replaces them. */
export function putRows(id: number, body: Input<typeof uploadRows>['body']) {
  return callApi(uploadRows, { params: idOf(id), body })
}

export function previewQuery(id: number) {
  return queryOptions({
    queryKey: ['campaigns', 'preview', id],
    queryFn: ({ signal }): Promise<CampaignPreview> => callApi(previewCampaign, { params: idOf(id), signal }),
  })
}

/** Starts a draft. `rows` is the number of sendable rows that the person confirmed. */
export function launch(id: number, rows: number): Promise<Campaign> {
  return callApi(startCampaign, { params: idOf(id), body: { rows } })
}

function idOf(id: number): { id: string } {
  return { id: String(id) }
}
