import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/**
 * Identifies a message or task. A superadmin may see the same guid in several companies. `company` is an id as text.
 */
export type MessageRef = { guid: string; company: string | undefined }

type Row = { guid: string; company_id?: number | undefined }

export function refOf({ guid, company_id }: Row): MessageRef {
  return { guid, company: company_id === undefined ? undefined : String(company_id) }
}

/** Whether the row has this reference. Without a company, the first row with the guid matches. */
export function matchesRef(row: Row, { guid, company }: MessageRef): boolean {
  return row.guid === guid && (company === undefined || company === refOf(row).company)
}

/** The search parameters that name the open message or task. */
export const refSearch = {
  open: orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(200)))),
  company: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
}

type Search = { open?: string | undefined; company?: string | undefined }

/** Reads the open message or task from the search parameters. */
export function refInSearch({ open, company }: Search): MessageRef | undefined {
  return open === undefined ? undefined : { guid: open, company }
}

/** The search parameters that open a message or task; without an argument, those that close it. */
export function searchForRef(messageRef?: MessageRef): Search {
  return { open: messageRef?.guid, company: messageRef?.company }
}

/** The query parameters of a call that reads or discards it. */
export function companyQuery({ company }: MessageRef): { company?: string } {
  return company === undefined ? {} : { company }
}
