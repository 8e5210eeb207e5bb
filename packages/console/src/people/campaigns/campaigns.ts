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
  type Campaign,
  type CampaignDetail,
  type CampaignPreview,
  type CampaignRow,
  type CampaignState,
  type NewCampaign,
} from '@sdd/contract/people/campaigns.ts'
import type { Input } from '@sdd/contract/core/client.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, download } from '#console/core/api.ts'
import { pagesQuery, parsePage } from '#console/core/pages.ts'

/** Campaigns in these states with the search text in their name, newest first. */
export function campaignsQuery(states: readonly CampaignState[] | undefined, search: string | undefined) {
  const state = states?.join(',')
  return pagesQuery<Campaign>(['campaigns', 'list', state, search], (cursor, signal) =>
    callApi(listCampaigns, { query: { state, search, cursor }, signal }, (body) =>
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

export type RowFilter = Omit<Input<typeof exportRows>['query'] & object, 'company'>

/** The rows of a campaign, the last ones first. */
export function rowsQuery(id: number, filter: RowFilter) {
  return pagesQuery<CampaignRow>(['campaigns', 'rows', id, filter], (cursor, signal) =>
    callApi(
      listRows,
      { params: idOf(id), query: { ...filter, order: 'desc', limit: '100', cursor }, signal },
      (body) => parsePage(body, 'rows'),
    ),
  )
}

/** Resolves to rows of a campaign as a CSV file. */
export function downloadRows(id: number, filter: RowFilter, onBytes: (bytes: number) => void) {
  return download(exportRows, { params: idOf(id), query: filter }, onBytes)
}

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
