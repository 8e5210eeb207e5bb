import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { ownField } from '@sdd/contract/people/template-text.ts'
import type { FieldValues } from '#console/messages/messages/template-fields.ts'
import { contactIfAny } from '#console/people/contacts/contacts.ts'

/** What the contact with this number puts in place of a template's fields. Without a contact, only the number is known. */
export async function contactValues(number: string, company: number | undefined): Promise<FieldValues> {
  const contact = await contactIfAny(number.trim(), company === undefined ? undefined : String(company))
  return (field) => {
    if (field === 'number') return contact?.number ?? dropSeparators(number)
    return (field === 'name' ? contact?.name : ownField(contact?.fields, field)) || undefined
  }
}
