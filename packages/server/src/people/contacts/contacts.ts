import type { Contact, ContactChange, ContactSelection, NewConsent } from '@sdd/contract/people/contacts.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Numbers, requireNumber, searchedNumber } from '#server/accounts/settings/numbers.ts'
import { lockedSettings, settingsOf } from '#server/accounts/settings/settings.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { badCursor, pageBy } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Contacts } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { type ContactPlace, type ContactRow, contactStore, ownContacts } from './store.ts'

export type ContactNeeds = {
  db: Database
  live: Live
  clock: Clock
  numbers: Pick<Numbers, 'country' | 'kept'>
  diskSpace: Pick<DiskSpace, 'refuseIfShort'>
  featureMetrics: Pick<FeatureMetrics, 'messages'>
  /** Ends the marketing that waits for a number which has lost its consent, in this transaction. Returns how many. */
  endUnconsented(tx: Tx, company_id: number, number: string): Promise<number>
  wake(): void
}

/** A page of contacts, by number. `next_cursor` is null on the last page. */
export async function listContacts(
  { db, numbers }: { db: Pick<Database, 'readInWorker'>; numbers: Pick<Numbers, 'kept'> },
  { scope, company_id }: Pick<Caller, 'scope' | 'company_id'>,
  { list, search, limit, cursor }: ContactSelection,
): Promise<{ contacts: Contact[]; next_cursor: string | null }> {
  const tx = db.readInWorker
  const asked = { list: list?.normalize('NFC').trim(), ...searchedBy(numbers, company_id, search) }
  const rows = await contactStore(tx, scope).page(asked, placeOf(cursor), limit + 1)
  const { page, next_cursor } = pageBy(rows, limit, cursorOf)
  return { contacts: await asContacts(tx, scope, page), next_cursor }
}

function searchedBy(numbers: Pick<Numbers, 'kept'>, company_id: number, search: string | undefined) {
  const term = search?.trim()
  if (!term) return {}
  const digits = searchedNumber(numbers, company_id, term) ?? dropSeparators(term)
  return { name: foldedName(term), ...(/^\+?\d+$/.test(digits) && { digits }) }
}

/** A name as searches compare it: without case and accents. */
export function foldedName(name: string): string {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function cursorOf({ company_id, number }: ContactPlace): string {
  return Buffer.from(`${company_id} ${number}`).toString('base64url')
}

function placeOf(cursor: string | undefined): ContactPlace | undefined {
  if (cursor === undefined) return undefined
  const [, company, number] =
    /^([1-9]\d{0,14}) (\+?\d{3,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? badCursor()
  return { company_id: Number(company), number: number! }
}

/** These rows in the form of the contract. */
export async function asContacts(tx: Tx, scope: Scope, rows: readonly ContactRow[]): Promise<Contact[]> {
  const lists = rows.length === 0 ? undefined : await contactStore(tx, scope).listsOf(rows)
  return rows.map((row) => ({
    company_id: row.company_id,
    number: row.number,
    name: row.name,
    fields: JSON.parse(row.fields) as Record<string, string>,
    lists: lists?.get(`${row.company_id} ${row.number}`) ?? [],
    consent: consentOf(row),
    opted_out: row.opted_out === 1,
    updated_at: row.updated_at,
  }))
}

function consentOf({ consent_at, consent_how, consent_by }: Contacts) {
  return consent_at === null ? null : { given_at: consent_at, how: consent_how ?? '', by: consent_by }
}

/** One contact. `unknown_contact` if the company has none with this number. */
export async function readContact(
  { db, numbers }: Pick<ContactNeeds, 'db' | 'numbers'>,
  caller: Caller,
  written: string,
  company_id: number = caller.company_id,
): Promise<Contact> {
  await settingsOf(db.read, caller.scope, company_id)
  const number = requireNumber(numbers, company_id, written, 'number')
  return requireContact(db.read, company_id, number)
}

async function requireContact(tx: Tx, company_id: number, number: string): Promise<Contact> {
  const [row] = await contactStore(tx, { company_id }).page({ only: number }, undefined, 1)
  if (row === undefined) throw new Refusal('unknown_contact', `There is no contact ${number}.`)
  const [contact] = await asContacts(tx, { company_id }, [row])
  return contact!
}

/**
 * Creates or changes a contact. Withdrawing the consent ends the marketing that waits for it. `disk_full`, unless the
 * consent is withdrawn.
 */
export async function saveContact(
  needs: ContactNeeds,
  caller: Caller,
  written: string,
  change: ContactChange,
  company_id: number = caller.company_id,
): Promise<Contact> {
  const { db, clock, numbers, diskSpace } = needs
  const withdraws = change.consent === null
  if (!withdraws) diskSpace.refuseIfShort()
  const { contact, ended, consent } = await db.write(async (tx) => {
    // Withdrawing a consent must not overlap with submitting a message that relies on it.
    if (withdraws) await lockedSettings(tx, caller.scope, company_id)
    else await settingsOf(tx, caller.scope, company_id)
    const number = requireNumber(numbers, company_id, written, 'number')
    const now = instant(clock.now())
    const own = ownContacts(tx, company_id)
    const before = (await own.hold([number])).get(number)
    const after = changed(before, { company_id, number }, change, caller, now)
    const lists = before
      ? ((await contactStore(tx, { company_id }).listsOf([before])).get(`${company_id} ${number}`) ?? [])
      : []
    const wanted = change.lists === undefined ? lists : [...new Set(change.lists ?? [])]
    const [joined, left] = [
      wanted.filter((list) => !lists.includes(list)),
      lists.filter((list) => !wanted.includes(list)),
    ]
    if (before === undefined) await own.insert([after])
    else await own.update(number, after)
    if (joined.length > 0) await own.join(number, joined)
    await own.leave(number, left)
    const consent = await recordConsent(tx, clock, caller, before, after)
    const ended = consent === 'withdrawn' ? await needs.endUnconsented(tx, company_id, number) : 0
    return { contact: await requireContact(tx, company_id, number), ended, consent }
  })
  announce(needs, company_id, ended, consent !== undefined)
  return contact
}

/** Removes a contact with its consent, never an opt-out. */
export async function deleteContact(
  needs: ContactNeeds,
  caller: Caller,
  written: string,
  company_id: number = caller.company_id,
): Promise<void> {
  const { ended, consent } = await needs.db.write(async (tx) => {
    await lockedSettings(tx, caller.scope, company_id)
    const number = requireNumber(needs.numbers, company_id, written, 'number')
    const own = ownContacts(tx, company_id)
    const before = (await own.hold([number])).get(number)
    if (before === undefined) throw new Refusal('unknown_contact', `There is no contact ${number}.`)
    await own.remove(number)
    const consent = await recordConsent(tx, needs.clock, caller, before, undefined)
    const ended = consent === 'withdrawn' ? await needs.endUnconsented(tx, company_id, number) : 0
    return { ended, consent }
  })
  announce(needs, company_id, ended, consent !== undefined)
}

function announce(
  { live, featureMetrics, wake }: Pick<ContactNeeds, 'live' | 'featureMetrics' | 'wake'>,
  company_id: number,
  ended: number,
  audited: boolean,
): void {
  if (ended > 0) featureMetrics.messages.inc({ state: 'failed' }, ended)
  live.changed(
    company_id,
    'contacts',
    ...(audited ? (['audit'] as const) : []),
    ...(ended > 0 ? (['logs', 'tasks'] as const) : []),
  )
  if (ended > 0) wake()
}

function changed(
  before: Contacts | undefined,
  { company_id, number }: ContactPlace,
  { name, fields, consent }: ContactChange,
  caller: Pick<Caller, 'name'>,
  now: string,
): Contacts {
  const named = name === undefined ? (before?.name ?? null) : name || null
  const given =
    consent === undefined
      ? {
          consent_at: before?.consent_at ?? null,
          consent_how: before?.consent_how ?? null,
          consent_by: before?.consent_by ?? null,
        }
      : consentColumns(consent, caller.name, now)
  return {
    company_id,
    number,
    name: named,
    name_key: foldedName(named ?? ''),
    fields: fields === undefined ? (before?.fields ?? '{}') : fieldsText(fields ?? {}),
    ...given,
    updated_at: now,
  }
}

/** As JSON, without those that are empty, by name. PostgreSQL reads no JSON with NUL or half a surrogate pair. */
export function fieldsText(fields: Readonly<Record<string, string>>): string {
  const filled = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, value.replaceAll('\0', '\uFFFD').toWellFormed()] as const)
  return JSON.stringify(Object.fromEntries(filled.sort(([one], [other]) => (one < other ? -1 : 1))))
}

/** The columns of a consent that is recorded now. `invalid` if it was given in the future. */
export function consentColumns(consent: NewConsent | null, by: string, now: string) {
  if (consent === null) return { consent_at: null, consent_how: null, consent_by: null }
  const given_ms = Date.parse(consent.given_at ?? now)
  if (given_ms > Date.parse(now))
    throw invalidField('consent.given_at', 'is in the future', 'out_of_range', { min: null, max: now })
  return { consent_at: instant(given_ms), consent_how: consent.how, consent_by: by }
}

/** Writes a consent that was recorded, replaced or withdrawn into the audit log. */
export async function recordConsent(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  before: Contacts | undefined,
  after: Contacts | undefined,
): Promise<'recorded' | 'withdrawn' | undefined> {
  const [from, to] = [before && consentOf(before), after && consentOf(after)].map(
    (consent) => consent ?? null,
  )
  if (JSON.stringify(from) === JSON.stringify(to)) return undefined
  const { company_id, number } = (after ?? before)!
  const what = to === null ? 'withdrawn' : 'recorded'
  await recordChange(tx, clock, caller, {
    company_id,
    action: `consent.${what}`,
    name: number,
    changes: {
      how: { from: from?.how ?? null, to: to?.how ?? null },
      given_at: { from: from?.given_at ?? null, to: to?.given_at ?? null },
    },
  })
  return what
}

/** Every list of the scope, with its number of contacts. */
export async function listLists({ db }: Pick<ContactNeeds, 'db'>, scope: Scope) {
  return { lists: await contactStore(db.readInWorker, scope).lists() }
}
