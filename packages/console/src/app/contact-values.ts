import { CallFault } from '@sdd/contract/core/client.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { readContact } from '@sdd/contract/people/contacts.ts'
import { callApi } from '#console/core/api.ts'
import type { FieldValues } from '#console/messages/messages/template-fields.ts'

/** What the contact with this number puts in place of a template's fields. Without a contact, only the number is known. */
export async function contactValues(number: string, company: number | undefined): Promise<FieldValues> {
  const query = { company: company === undefined ? undefined : String(company) }
  const contact = await callApi(readContact, { params: { number: number.trim() }, query }).catch(
    (fault: unknown) => {
      if (fault instanceof CallFault && fault.code === 'unknown_contact') return undefined
      throw fault
    },
  )
  return (field) => {
    if (field === 'number') return contact?.number ?? dropSeparators(number)
    return (field === 'name' ? contact?.name : contact?.fields[field]) || undefined
  }
}
