import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

/**
 * Identifies a message or task. A superadmin may see the same guid in several companies. `company` is an id as text.
 */
export type Which = { guid: string; company: string | undefined }

type Row = { guid: string; company_id?: number | undefined }

export function whichOf({ guid, company_id }: Row): Which {
  return { guid, company: company_id === undefined ? undefined : String(company_id) }
}

/** Whether the row has this reference. Without a company, the first row with the guid matches. */
export function isWhich(row: Row, { guid, company }: Which): boolean {
  return row.guid === guid && (company === undefined || company === whichOf(row).company)
}

/** The search parameters that name the open message or task. */
export const whichSearch = {
  open: orNothing(z.optional(z.string().check(z.minLength(1), z.maxLength(200)))),
  company: orNothing(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
}

type Search = { open?: string | undefined; company?: string | undefined }

/** Reads the open message or task from the search parameters. */
export function openIn({ open, company }: Search): Which | undefined {
  return open === undefined ? undefined : { guid: open, company }
}

/** The search parameters that open a message or task; without an argument, those that close it. */
export function searchFor(which?: Which): Search {
  return { open: which?.guid, company: which?.company }
}

/** The query parameters of a call that reads or discards it. */
export function companyQuery({ company }: Which): { company?: string } {
  return company === undefined ? {} : { company }
}
