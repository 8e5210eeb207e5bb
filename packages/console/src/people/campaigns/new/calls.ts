import {
  checkRows,
  exportCheck,
  previewCampaign,
  type CampaignPreview,
  type CheckedRow,
  type RowGroup,
} from '@sdd/contract/people/campaign-checks.ts'
import { uploadRows, type NewCampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import {
  changeCampaign,
  createCampaign,
  startCampaign,
  type Campaign,
  type NewCampaign,
} from '@sdd/contract/people/campaigns.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callApi, download, rowsOf } from '#console/core/api.ts'
import { pagesQuery, parsePage } from '#console/core/pages.ts'
import { idOf } from '#console/people/campaigns/campaigns.ts'

/** Creates a draft of this company, or replaces what it says. */
export function putDraft(
  id: number | undefined,
  body: NewCampaign,
  company: number | undefined,
): Promise<Campaign> {
  return id === undefined
    ? callApi(createCampaign, { query: { company: company?.toString() }, body })
    : callApi(changeCampaign, { params: idOf(id), body })
}

/** Stores rows of a draft. The same call again replaces them. */
export function putRows(
  id: number,
  body: { first_row: number; rows: NewCampaignRow[]; last?: boolean; of?: number },
) {
  return callApi(uploadRows, { params: idOf(id), body })
}

/** `version` changes with the draft and its rows. Meanwhile the figures of the version before stay. */
export function previewQuery(id: number | undefined, version: string) {
  return queryOptions({
    queryKey: ['campaigns', 'preview', id, version],
    queryFn: ({ signal }): Promise<CampaignPreview> =>
      callApi(previewCampaign, { params: idOf(id!), signal }),
    placeholderData: keepPreviousData,
    enabled: id !== undefined,
  })
}

/** The rows of a group, in pages. */
export function groupQuery(id: number, group: RowGroup, version: string) {
  return pagesQuery<CheckedRow>(['campaigns', 'check', id, group, version], (cursor, signal) =>
    callApi(checkRows, { params: idOf(id), query: { group, cursor }, signal }, (body) =>
      parsePage(body, 'rows'),
    ),
  )
}

/** Some sendable rows after this one. */
export function sampleQuery(id: number | undefined, after: number, version: string) {
  return queryOptions({
    queryKey: ['campaigns', 'sample', id, after, version],
    queryFn: ({ signal }) =>
      callApi(
        checkRows,
        {
          params: idOf(id!),
          query: { group: 'sendable', limit: '3', cursor: after === 0 ? undefined : String(after) },
          signal,
        },
        (body) => rowsOf<CheckedRow>(body, 'rows'),
      ),
    placeholderData: keepPreviousData,
    enabled: id !== undefined,
  })
}

/** Resolves to the rows that would not be sent as a CSV file. */
export function downloadCheck(id: number) {
  return download(exportCheck, { params: idOf(id) }, () => undefined)
}

/** Starts a draft. `rows` is the number of sendable rows that the person typed. */
export function start(id: number, rows: number): Promise<Campaign> {
  return callApi(startCampaign, { params: idOf(id), body: { rows } })
}
