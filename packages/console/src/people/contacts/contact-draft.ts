import { ContactChange, MAX_FIELDS, MAX_LISTS, type Contact } from '@sdd/contract/people/contacts.ts'
import { FIELD_NAME } from '@sdd/contract/people/template-text.ts'
import type { Faults } from '#console/core/form.ts'
import { fieldTime } from '#console/ui/time.ts'
import { contactForm as words } from './form-text.ts'

/** A contact as it is typed. */
export type ContactDraft = {
  number: string
  name: string
  /** Separated by semicolons. */
  lists: string
  fields: readonly { name: string; value: string }[]
  /** A consent is recorded with this save. */
  consents: boolean
  how: string
  /** In the browser's zone. */
  given_at: string
  withdraws: boolean
}

export function draftOf(contact: Contact | undefined, now_ms: number): ContactDraft {
  return {
    number: contact?.number ?? '',
    name: contact?.name ?? '',
    lists: contact?.lists.join('; ') ?? '',
    fields: Object.entries(contact?.fields ?? {}).map(([name, value]) => ({ name, value })),
    consents: false,
    how: '',
    given_at: fieldTime(now_ms),
    withdraws: false,
  }
}

/** The names of lists in a typed text. */
export function parseLists(typed: string): string[] {
  const names = typed.split(/[;\n]/).map((name) => name.trim())
  return [...new Set(names)].filter((name) => name !== '')
}

/** What the draft changes of the contact. Parts that stay as they are left out. */
export function changeOf(draft: ContactDraft, contact: Contact | undefined): ContactChange {
  const name = draft.name.trim()
  const lists = parseLists(draft.lists)
  const fields = fieldsOf(draft)
  const change: ContactChange = {}
  if (name !== (contact?.name ?? '')) change.name = name || null
  if (!isSame(lists, contact?.lists ?? [])) change.lists = lists
  if (!isSame(entries(fields), entries(contact?.fields ?? {}))) change.fields = fields
  if (draft.withdraws) change.consent = null
  else if (draft.consents)
    change.consent = { how: draft.how.trim(), given_at: new Date(draft.given_at).toISOString() }
  return change
}

/** The errors of a draft that can be found without the server. */
export function contactFaults(draft: ContactDraft, now_ms: number): Faults['fields'] {
  const given_ms = new Date(draft.given_at).getTime()
  const shape = ContactChange.shape
  const named = draft.fields.filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
  return {
    number: draft.number.trim() === '' ? words.numberMissing : undefined,
    name: shape.name.safeParse(draft.name.trim()).success ? undefined : words.nameWrong,
    lists: shape.lists.safeParse(parseLists(draft.lists)).success ? undefined : words.listsWrong(MAX_LISTS),
    fields: fieldsFault(named),
    how:
      draft.consents && (draft.how.trim() === '' || draft.how.trim().length > 200)
        ? words.howWrong
        : undefined,
    given_at: draft.consents && !(given_ms <= now_ms + MINUTE_MS) ? words.givenWrong : undefined,
  }
}

/** `datetime-local` has no seconds, and clocks differ a little. */
const MINUTE_MS = 60_000

function fieldsFault(fields: ContactDraft['fields']): string | undefined {
  const names = fields.map(({ name }) => name.trim().normalize('NFC'))
  const wrong = names.find((name) => !FIELD_NAME.test(name) || name === 'name' || name === 'number')
  if (wrong !== undefined) return words.fieldWrong(wrong)
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice !== undefined) return words.fieldTwice(twice)
  if (fields.length > MAX_FIELDS) return words.fieldsMost(MAX_FIELDS)
  const long = fields.find(({ value }) => value.length > 200)
  return long && words.valueLong(long.name)
}

function fieldsOf({ fields }: ContactDraft): Record<string, string> {
  const given = fields.map(({ name, value }) => [name.trim().normalize('NFC'), value.trim()] as const)
  return Object.fromEntries(given.filter(([name, value]) => name !== '' && value !== ''))
}

function entries(fields: Record<string, string>): string[] {
  return Object.entries(fields).map((pair) => JSON.stringify(pair))
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}
