import { exportRows, listRows, rowStates, type CampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import {
  pauseCampaign,
  resumeCampaign,
  retryCampaign,
  stopCampaign,
  type Campaign,
} from '@sdd/contract/people/campaigns.ts'
import type { Input } from '@sdd/contract/core/client.ts'
import { callApi, download } from '#console/core/api.ts'
import { pagesQuery, parsePage } from '#console/core/pages.ts'
import { idOf } from './campaigns.ts'
import { parts, type Part } from './progress.ts'

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

/** Resolves to a draft with the failed rows that trying again may help: all, or those of one reason. */
export function retryRows(id: number, reason: string | undefined): Promise<Campaign> {
  return callApi(retryCampaign, { params: idOf(id), query: { reason } })
}
