import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

/** A message or a task: a superadmin's list may have one guid in several companies. `company` is an id, as text. */
export type Which = { guid: string; company: string | undefined }

type Row = { guid: string; company_id?: number | undefined }

export function whichOf({ guid, company_id }: Row): Which {
  return { guid, company: company_id === undefined ? undefined : String(company_id) }
}

/** Whether the row is the one; without a company the first row of its guid is. */
export function isWhich(row: Row, { guid, company }: Which): boolean {
  return row.guid === guid && (company === undefined || company === whichOf(row).company)
}

/** The part of an address that says which message or task is open. */
export const whichSearch = {
  /** Its guid. */
  open: orNothing(z.optional(z.string().check(z.minLength(1), z.maxLength(200)))),
  company: orNothing(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
}

type Search = { open?: string | undefined; company?: string | undefined }

/** What is open by this address. */
export function openIn({ open, company }: Search): Which | undefined {
  return open === undefined ? undefined : { guid: open, company }
}

/** What to change in the address to open it; or to close, where nothing is given. */
export function searchFor(which?: Which): Search {
  return { open: which?.guid, company: which?.company }
}

/** The query of a call that reads or discards it. */
export function companyQuery({ company }: Which): { company?: string } {
  return company === undefined ? {} : { company }
}
