import { CallFault } from '@sdd/contract/core/client.ts'
import {
  deleteContact,
  exportContacts,
  listContacts,
  listLists,
  readContact,
  saveContact,
  type Contact,
  type ContactChange,
} from '@sdd/contract/people/contacts.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, download, rowsOf } from '#console/core/api.ts'
import { parsePage, pagesQuery } from '#console/core/pages.ts'

/** The contacts with the search text in their number or name, by number. */
export function contactsQuery({ search, list }: { search: string | undefined; list: string | undefined }) {
  return pagesQuery<Contact>(['contacts', search, list], (cursor, signal) =>
    callApi(listContacts, { query: { search, list, cursor }, signal }, (body) => parsePage(body, 'contacts')),
  )
}

export type ContactList = { name: string; contacts: number }

/**
 * The lists of this company that have contacts. Without a company, those of all that the user sees: lists with equal
 * names are one then.
 */
export function listsQuery(company?: number) {
  return queryOptions({
    queryKey: ['contacts', 'lists'],
    queryFn: ({ signal }) =>
      callApi(listLists, { signal }, (body) => rowsOf<ContactList & { company_id: number }>(body, 'lists')),
    select: (lists) =>
      merged(lists.filter(({ company_id }) => company === undefined || company === company_id)),
  })
}

function merged(lists: readonly ContactList[]): ContactList[] {
  const counts = new Map<string, number>()
  for (const { name, contacts } of lists) counts.set(name, (counts.get(name) ?? 0) + contacts)
  return [...counts].map(([name, contacts]) => ({ name, contacts }))
}

/** The contact of the given company, or of the user's own if undefined, with this number; null if there is none. */
export function contactQuery(number: string, company: string | undefined) {
  return queryOptions({
    queryKey: ['contacts', 'one', number, company],
    queryFn: ({ signal }) => contactIfAny(number, company, signal),
  })
}

export async function contactIfAny(
  number: string,
  company: string | undefined,
  signal?: AbortSignal,
): Promise<Contact | null> {
  try {
    return await callApi(readContact, { params: { number }, query: { company }, signal })
  } catch (fault) {
    if (fault instanceof CallFault && fault.code === 'unknown_contact') return null
    throw fault
  }
}

export function putContact(
  number: string,
  body: ContactChange,
  company: string | undefined,
): Promise<Contact> {
  return callApi(saveContact, { params: { number }, query: { company }, body })
}

export async function removeContact(number: string, company: string | undefined): Promise<void> {
  await callApi(deleteContact, { params: { number }, query: { company } })
}

/** Resolves to the contacts as a CSV file, those of one list if it is named. */
export function downloadContacts(list: string | undefined) {
  return download(exportContacts, { query: { list } }, () => undefined)
}
