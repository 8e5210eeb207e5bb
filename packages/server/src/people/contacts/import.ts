import { setImmediate as turn } from 'node:timers/promises'
import { ContactRow, MAX_FIELDS, MAX_LISTS, type RowRefusal } from '@sdd/contract/people/contacts.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { parse } from '#server/core/http/request.ts'
import { explainFaults } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Contacts } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { consentColumns, type ContactNeeds, fieldsText, foldedName, recordConsent } from './contacts.ts'
import { contactStore, ownContacts } from './store.ts'

type Needs = Pick<ContactNeeds, 'db' | 'live' | 'clock' | 'numbers' | 'diskSpace'>

export type Imported = { added: number; changed: number; unchanged: number; refused: RowRefusal[] }

/** Rows of one transaction. Other writes get a turn between two. */
const AT_ONCE = 250

/**
 * Adds contacts, or adds to those there. Each row is taken or refused by itself. A call that broke off may be repeated:
 * the rows that it stored are unchanged then. `disk_full`.
 */
export async function importContacts(
  needs: Needs,
  caller: Caller,
  rows: readonly unknown[],
  company_id: number = caller.company_id,
): Promise<Imported> {
  needs.diskSpace.refuseIfShort()
  await settingsOf(needs.db.read, caller.scope, company_id)
  const outcome: Imported = { added: 0, changed: 0, unchanged: 0, refused: [] }
  const { good, refused } = readRows(needs, company_id, rows)
  outcome.refused.push(...refused)
  for (let at = 0; at < good.length; at += AT_ONCE) {
    const some = good.slice(at, at + AT_ONCE)
    const stored = await needs.db.write((tx) => storeRows(tx, needs, caller, company_id, some))
    for (const kind of ['added', 'changed', 'unchanged'] as const) outcome[kind] += stored[kind]
    outcome.refused.push(...stored.refused)
    if (stored.added + stored.changed > 0)
      needs.live.changed(company_id, 'contacts', ...(stored.consents ? (['audit'] as const) : []))
    await turn()
  }
  outcome.refused.sort((one, other) => one.row - other.row)
  return outcome
}

type GoodRow = { row: number; number: string; given: ContactRow }

/** The rows that can be stored, each number once, and why the others cannot. */
function readRows({ numbers }: Pick<Needs, 'numbers'>, company_id: number, rows: readonly unknown[]) {
  const good: GoodRow[] = []
  const refused: RowRefusal[] = []
  const seen = new Map<string, number>()
  for (const [index, written] of rows.entries()) {
    const row = index + 1
    const number = numbers.kept(company_id, numberIn(written))
    if (number === undefined) {
      const detail = `${JSON.stringify(numberIn(written).slice(0, 40))} is no possible phone number: write it with + and its country code.`
      refused.push({ row, code: 'invalid_number', detail })
      continue
    }
    const first = seen.get(number)
    if (first !== undefined) {
      refused.push({ row, code: 'repeated', detail: `${number} is in row ${first} already, which counts.` })
      continue
    }
    const { value: given, faults } = parse(ContactRow, written, { whole: 'row' })
    if (faults) {
      refused.push({ row, code: 'invalid', detail: explainFaults(faults) })
      continue
    }
    seen.set(number, row)
    good.push({ row, number, given })
  }
  return { good, refused }
}

function numberIn(written: unknown): string {
  const { number } = Object(written) as { number?: unknown }
  return typeof number === 'string' ? number : ''
}

async function storeRows(
  tx: Tx,
  { clock }: Pick<Needs, 'clock'>,
  caller: Caller,
  company_id: number,
  rows: readonly GoodRow[],
): Promise<Imported & { consents: number }> {
  const outcome = { added: 0, changed: 0, unchanged: 0, refused: [] as RowRefusal[], consents: 0 }
  const now = instant(clock.now())
  const own = ownContacts(tx, company_id)
  const known = await own.hold(rows.map(({ number }) => number))
  const lists = await contactStore(tx, { company_id }).listsOf([...known.values()])
  const added: Contacts[] = []
  const joining: { number: string; lists: string[] }[] = []
  for (const { row, number, given } of rows) {
    const before = known.get(number)
    const its = lists.get(`${company_id} ${number}`) ?? []
    try {
      const after = merged(before, { company_id, number }, given, caller.name, now)
      const joined = [...new Set(given.lists ?? [])].filter((list) => !its.includes(list))
      if (its.length + joined.length > MAX_LISTS) throw tooMany('lists', MAX_LISTS)
      const same = before !== undefined && joined.length === 0 && isSameContact(before, after)
      if (same) {
        outcome.unchanged++
        continue
      }
      if (before === undefined) added.push(after)
      else await own.update(number, after)
      joining.push({ number, lists: joined })
      if ((await recordConsent(tx, clock, caller, before, after)) !== undefined) outcome.consents++
      outcome[before === undefined ? 'added' : 'changed']++
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcome.refused.push({ row, code: 'invalid', detail: error.message })
    }
  }
  if (added.length > 0) await own.insert(added)
  for (const { number, lists } of joining) if (lists.length > 0) await own.join(number, lists)
  return outcome
}

function merged(
  before: Contacts | undefined,
  key: { company_id: number; number: string },
  { name, fields, consent }: ContactRow,
  by: string,
  now: string,
): Contacts {
  const named = name || before?.name || null
  const were = JSON.parse(before?.fields ?? '{}') as Record<string, string>
  const text = fieldsText({ ...were, ...fields })
  if (Object.keys(JSON.parse(text) as object).length > MAX_FIELDS) throw tooMany('fields', MAX_FIELDS)
  const has = before !== undefined && before.consent_at !== null
  return {
    ...key,
    name: named,
    name_key: foldedName(named ?? ''),
    fields: text,
    ...(has
      ? { consent_at: before.consent_at, consent_how: before.consent_how, consent_by: before.consent_by }
      : consentColumns(consent ?? null, by, now)),
    updated_at: now,
  }
}

function isSameContact(one: Contacts, other: Contacts): boolean {
  return (['name', 'fields', 'consent_at'] as const).every((column) => one[column] === other[column])
}

function tooMany(what: string, most: number): Refusal {
  return new Refusal('invalid', `The contact would have more than ${most} ${what}.`)
}
