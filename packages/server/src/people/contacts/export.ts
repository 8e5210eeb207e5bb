import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Contact } from '@sdd/contract/people/contacts.ts'
import { ownField } from '@sdd/contract/people/template-text.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { type CsvColumn, csvHead, csvRow } from '#server/core/csv.ts'
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
  const columns = [...fixedColumns, ...names.map(fieldColumn)]
  yield csvHead(columns)
  for (let after: ContactPlace | undefined; ;) {
    const rows = await store.page({ list }, after, PAGE)
    const contacts = await asContacts(tx, scope, rows)
    yield contacts.map((contact) => csvRow(columns, contact)).join('')
    if (rows.length < PAGE) return
    after = rows.at(-1)!
  }
}

function fieldColumn(name: string): CsvColumn<Contact> {
  return [name, ({ fields }) => ownField(fields, name)]
}

const fixedColumns: readonly CsvColumn<Contact>[] = [
  ['number', ({ number }) => number, 'number'],
  ['name', ({ name }) => name],
  ['lists', ({ lists }) => lists.join(';')],
  ['consent_given_at', ({ consent }) => consent && consent.given_at],
  ['consent_how', ({ consent }) => consent && consent.how],
  ['consent_by', ({ consent }) => consent && consent.by],
  ['opted_out', ({ opted_out }) => String(opted_out)],
  ['updated_at', ({ updated_at }) => updated_at],
]
