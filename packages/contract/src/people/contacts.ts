import * as z from 'zod/mini'
import { AnyInstant, CompanyQuery, countParam, Cursor, Instant, Name } from '@sdd/contract/core/fields.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { FIELD_NAME } from '@sdd/contract/people/template-text.ts'

export const MAX_FIELDS = 30
export const MAX_LISTS = 50
/** The most contacts of one import call. */
export const MAX_IMPORTED = 5_000
/** The largest body of an import, and of other calls with thousands of rows. */
export const ROWS_BYTES = 8 * 1024 * 1024

/** The proof that a person agreed to get marketing: how they did, when, and who wrote it down. */
export const Consent = z.object({ given_at: Instant, how: z.string(), by: z.nullable(z.string()) })
export type Consent = z.infer<typeof Consent>

const Fields = z.record(z.string(), z.string())

/** A person to whom the company writes, by number. */
export const Contact = z.object({
  company_id: z.int(),
  number: z.string(),
  name: z.nullable(z.string()),
  fields: Fields,
  lists: z.array(z.string()),
  consent: z.nullable(Consent),
  /** Wins over any consent. */
  opted_out: z.boolean(),
  updated_at: Instant,
})
export type Contact = z.infer<typeof Contact>

export const NewConsent = z.strictObject({
  how: z.string().check(z.trim(), z.minLength(1, 'is required'), z.maxLength(200)),
  /** Now if absent. Not in the future. */
  given_at: z.optional(AnyInstant),
})
export type NewConsent = z.infer<typeof NewConsent>

const FIELD = 'must be a letter or _, then letters, digits and _, 40 at most, and neither name nor number'

const FieldName = z.string().check(
  z.normalize('NFC'),
  z.regex(FIELD_NAME, FIELD),
  z.refine((name) => name !== 'name' && name !== 'number', FIELD),
)

/** A field with an empty text is left out. */
const NewFields = z
  .record(FieldName, z.string().check(z.maxLength(200)))
  .check(z.refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `has more than ${MAX_FIELDS} fields`))

export const ListName = z
  .string()
  .check(
    z.regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'holds a character that cannot be seen: type it again'),
    z.normalize('NFC'),
    z.trim(),
    z.minLength(1, 'is required'),
    z.maxLength(60),
  )

const NewLists = z.array(ListName).check(z.maxLength(MAX_LISTS))

const EmptyName = z.literal('')

/** An absent part stays; a given one replaces the whole of it; null empties it. */
export const ContactChange = z.strictObject({
  name: z.optional(z.nullable(z.union([EmptyName, Name]))),
  fields: z.optional(z.nullable(NewFields)),
  lists: z.optional(z.nullable(NewLists)),
  consent: z.optional(z.nullable(NewConsent)),
})
export type ContactChange = z.infer<typeof ContactChange>

/** A row of an import. It adds to the contact that is there. */
export const ContactRow = z.strictObject({
  number: z.string(),
  name: z.optional(z.nullable(z.union([EmptyName, Name]))),
  /** Added to those there; an empty text removes one. */
  fields: z.optional(z.nullable(NewFields)),
  lists: z.optional(z.nullable(NewLists)),
  /** Recorded if the contact has none. */
  consent: z.optional(z.nullable(NewConsent)),
})
export type ContactRow = z.infer<typeof ContactRow>

export const RowRefusal = z.object({
  /** Counted from 1. */
  row: z.int(),
  code: z.enum(['invalid_number', 'repeated', 'invalid']),
  detail: z.string(),
})
export type RowRefusal = z.infer<typeof RowRefusal>

export const ContactSelection = z.object({
  list: z.optional(z.string().check(z.maxLength(60))),
  /** Part of a number or a name. */
  search: z.optional(z.string().check(z.maxLength(100))),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type ContactSelection = z.infer<typeof ContactSelection>

const byNumber = z.object({ number: z.string() })

export const listContacts = route('GET /api/contacts', {
  summary: 'Lists the contacts by number, in pages.',
  query: ContactSelection,
  reply: z.object({ contacts: z.array(Contact), next_cursor: z.nullable(z.string()) }),
})

export const readContact = route('GET /api/contacts/:number', {
  summary: 'One contact, by its number in any notation.',
  params: byNumber,
  query: CompanyQuery,
  reply: Contact,
  errors: ['unknown_contact', 'unknown_company'],
})

export const saveContact = route('PUT /api/contacts/:number', {
  summary: 'Creates or changes a contact. An absent part stays, and null empties one.',
  params: byNumber,
  query: CompanyQuery,
  body: ContactChange,
  reply: Contact,
  errors: ['unknown_company', 'disk_full'],
})

export const deleteContact = route('DELETE /api/contacts/:number', {
  summary: 'Removes a contact. Its opt-out stays.',
  params: byNumber,
  query: CompanyQuery,
  errors: ['unknown_contact', 'unknown_company'],
})

export const importContacts = route('POST /api/contacts/import', {
  summary: 'Adds up to 5,000 contacts, or adds to those there. Repeating a call changes nothing.',
  query: CompanyQuery,
  body: z.strictObject({ rows: z.array(z.unknown()).check(z.minLength(1), z.maxLength(MAX_IMPORTED)) }),
  body_bytes: ROWS_BYTES,
  reply: z.object({
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    refused: z.array(RowRefusal),
  }),
  errors: ['unknown_company', 'disk_full'],
})

export const exportContacts = route('GET /api/contacts.csv', {
  summary: 'The contacts as a CSV file.',
  may: 'contacts:export',
  query: z.extend(CompanyQuery, { list: z.optional(z.string().check(z.maxLength(60))) }),
  reply: CsvFile,
  errors: ['unknown_company'],
})

export const listLists = route('GET /api/lists', {
  summary: 'The lists of contacts. A list exists while a contact is in it.',
  reply: z.object({
    lists: z.array(z.object({ company_id: z.int(), name: z.string(), contacts: z.int() })),
  }),
})
