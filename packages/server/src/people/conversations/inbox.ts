import { AnyInstant } from '@sdd/contract/core/fields.ts'
import type { Written } from '@sdd/contract/core/route.ts'
import type { InboxSelection, listInbox as route } from '@sdd/contract/people/conversations.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller, KeyCaller, Scope } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { invalidField } from '#server/core/field-faults.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { smsId } from '#server/messages/inbox/inbox.ts'
import { scopeOfReader } from './access.ts'
import { type AskedReceived, receivedStore } from './received.store.ts'
import type { Searched } from './search.store.ts'
import { candidatesIn, searchedOf } from './searched.ts'

type InboxPage = Written<typeof route.reply>

/** A page of the received SMS, the last stored first. `next_cursor` is null on the last page. `forbidden`, `invalid`. */
export async function listInbox(
  { db, numbers }: { db: Pick<Database, 'read' | 'readInWorker'>; numbers: Pick<Numbers, 'kept'> },
  caller: Caller | KeyCaller,
  { since, device_uid, search, limit, cursor }: InboxSelection,
): Promise<InboxPage> {
  const scope = await scopeOfReader(db.read, caller)
  const asked = { ...readSince(since), below: cursorId(cursor), device_uid, limit: limit + 1 }
  const searched = searchedOf(numbers, caller.company_id, search)
  const rows = searched
    ? await found(db.readInWorker, scope, searched, asked)
    : await receivedStore(db.read, scope).page(asked)
  const { page, next_cursor } = pageOf(rows, limit)
  return {
    inbox: page.map(({ id, company_id, sms_from, text, sms_at, device_uid, sim, reply_to }) => ({
      id: smsId(id),
      company_id,
      number: sms_from,
      text,
      received_at: sms_at,
      device_uid,
      sim,
      reply_to,
    })),
    next_cursor,
  }
}

/** Candidates to look at together. */
const SLICE = 500

/** All SMS that are not in the index yet are looked at first, and then its candidates, the last stored first. */
async function found(tx: Tx, scope: Scope, searched: Searched, asked: AskedReceived) {
  const { ids, reaches } = await candidatesIn(tx, 'inbox', searched)
  const { above = 0, below = Infinity, limit } = asked
  const store = receivedStore(tx, scope)
  const rows = await store.search(searched, { ...asked, above: Math.max(above, reaches) })
  const indexed = ids
    .filter((id) => id > above && id < below && id <= reaches)
    .sort((one, other) => other - one)
  for (let at = 0; at < indexed.length && rows.length < limit; at += SLICE) {
    const slice = indexed.slice(at, at + SLICE)
    rows.push(...(await store.search(searched, { ...asked, limit: limit - rows.length }, slice)))
  }
  return rows
}

/** Only later SMS: above this id, or stored after this time. */
function readSince(since: string | undefined): { above?: number; after?: string } {
  if (since === undefined) return {}
  const [, id] = /^r([1-9]\d{0,14})$/.exec(since) ?? []
  if (id !== undefined) return { above: Number(id) }
  if (AnyInstant.safeParse(since).success) return { after: instant(Date.parse(since)) }
  const why = 'must be an id of this list, or an ISO 8601 time with its zone'
  throw invalidField('since', why, 'bad_format', {})
}
