import type { Contact } from '@sdd/contract/people/contacts.ts'
import {
  fieldsOf,
  ownField,
  parseTemplateText,
  renderTemplateText,
  type TemplateFault,
  type TemplateText,
} from '@sdd/contract/people/template-text.ts'

/** What a contact puts in place of a field; undefined if it has none. */
export function fieldValue(
  contact: Pick<Contact, 'number' | 'name' | 'fields'>,
  field: string,
): string | undefined {
  if (field === 'number') return contact.number
  return (field === 'name' ? contact.name : ownField(contact.fields, field)) || undefined
}

export type Example =
  | { fault: TemplateFault }
  | { text: string; contact: Contact }
  /** No contact has all the fields: the text has their names. `missing` is one that most contacts lack. */
  | { text: string; missing: string }
  | { text: string }

/** A template's text as it reads for the first contact that has all its fields. */
export function exampleOf(template: string, contacts: readonly Contact[]): Example {
  const { pieces, fault } = parseTemplateText(template)
  if (fault) return { fault }
  const fields = fieldsOf(pieces)
  if (fields.length === 0) return { text: renderNames(pieces) }
  const contact = contacts.find((one) => fields.every((field) => fieldValue(one, field)))
  if (contact)
    return { text: renderTemplateText(pieces, (field) => fieldValue(contact, field)).text!, contact }
  const rarest = fields.toSorted((one, other) => countOf(one) - countOf(other))[0]!
  return { text: renderNames(pieces), missing: rarest }

  function countOf(field: string): number {
    return contacts.filter((one) => fieldValue(one, field)).length
  }
}

function renderNames(pieces: TemplateText): string {
  return renderTemplateText(pieces, (field) => `(${field})`).text!
}

/** The fields that these contacts have, those of most contacts first, and before them those that always exist. */
export function fieldNamesIn(contacts: readonly Contact[]): string[] {
  const counts = new Map<string, number>()
  for (const { fields } of contacts)
    for (const name of Object.keys(fields)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [
    'name',
    'number',
    ...[...counts].toSorted(([, one], [, other]) => other - one).map(([name]) => name),
  ]
}
