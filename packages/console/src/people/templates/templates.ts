import { listContacts, type Contact } from '@sdd/contract/people/contacts.ts'
import {
  deleteTemplate,
  listTemplates,
  saveTemplate,
  type Template,
  type TemplateChange,
} from '@sdd/contract/people/templates.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'

/** The templates of all companies that the user sees, by name. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: ({ signal }) => callApi(listTemplates, { signal }, (body) => rowsOf<Template>(body, 'templates')),
})

/** Contacts whose fields serve as examples, of all companies that the user sees. */
export const exampleContactsQuery = queryOptions({
  queryKey: ['contacts', 'examples'],
  queryFn: ({ signal }) =>
    callApi(listContacts, { query: { limit: '200' }, signal }, (body) => rowsOf<Contact>(body, 'contacts')),
})

/** `company` matters only for a new one; undefined means the user's own. */
export function putTemplate(body: TemplateChange, company: number | undefined): Promise<Template> {
  const query = { company: company === undefined ? undefined : String(company) }
  return callApi(saveTemplate, { query, body })
}

export async function removeTemplate(id: number): Promise<void> {
  await callApi(deleteTemplate, { params: { id: String(id) } })
}
