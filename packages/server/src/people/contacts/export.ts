import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Contact } from '@sdd/contract/people/contacts.ts'
import { ownField } from '@sdd/contract/people/template-text.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { BYTE_ORDER_MARK, csvLine, escapeFormula } from '#server/core/csv.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { asContacts } from './contacts.ts'
import { type ContactPlace, contactStore } from './store.ts'

type Needs = { db: Pick<Database, 'read' | 'readInWorker'>; clock: Clock }

const PAGE = 500

/** The company's contacts as a CSV file, by number: the fixed columns, then every field by its name. */
export async function exportContacts(
  { db, clock }: Needs,
  caller: Caller,
  {
    list,
    company: company_id = caller.company_id,
  }: { list?: string | undefined; company?: number | undefined },
): Promise<CsvFile> {
  await settingsOf(db.read, caller.scope, company_id)
  return {
    filename: `contacts-${clock.day(clock.now())}.csv`,
    pieces: writeContacts(db.readInWorker, { company_id }, list?.normalize('NFC').trim()),
  }
}

async function* writeContacts(tx: Tx, scope: Scope, list: string | undefined): AsyncGenerator<string> {
  const store = contactStore(tx, scope)
  const names = await store.fieldNames(list)
  yield BYTE_ORDER_MARK + csvLine([...columns.map(([title]) => title), ...names.map(escapeFormula)])
  for (let after: ContactPlace | undefined; ;) {
    const rows = await store.page({ list }, after, PAGE)
    const contacts = await asContacts(tx, scope, rows)
    yield contacts.map((contact) => lineOf(contact, names)).join('')
    if (rows.length < PAGE) return
    after = rows.at(-1)!
  }
}

function lineOf(contact: Contact, names: readonly string[]): string {
  return csvLine([
    // A number stays as it is dialled: a spreadsheet reads a plus and digits as a number.
    contact.number,
    ...columns.slice(1).map(([, read]) => escapeFormula(read(contact) ?? '')),
    ...names.map((name) => escapeFormula(ownField(contact.fields, name) ?? '')),
  ])
}

const columns: readonly [title: string, read: (contact: Contact) => string | null][] = [
  ['number', ({ number }) => number],
  ['name', ({ name }) => name],
  ['lists', ({ lists }) => lists.join(';')],
  ['consent_given_at', ({ consent }) => consent && consent.given_at],
  ['consent_how', ({ consent }) => consent && consent.how],
  ['consent_by', ({ consent }) => consent && consent.by],
  ['opted_out', ({ opted_out }) => String(opted_out)],
  ['updated_at', ({ updated_at }) => updated_at],
]
