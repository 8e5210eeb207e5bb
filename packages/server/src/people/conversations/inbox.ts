import { AnyInstant, dropSeparators } from '@sdd/contract/core/fields.ts'
import type { Written } from '@sdd/contract/core/route.ts'
import type { InboxSelection, listInbox as route } from '@sdd/contract/people/conversations.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { invalidField } from '#server/core/field-faults.ts'
import type { Database } from '#server/database/open.ts'
import { smsId } from '#server/messages/inbox/inbox.ts'
import { scopeOfReader } from './access.ts'
import { receivedStore } from './received.store.ts'

type InboxPage = Written<typeof route.reply>

/** A page of the received SMS, the last stored first. `next_cursor` is null on the last page. `forbidden`, `invalid`. */
export async function listInbox(
  { db, numbers }: { db: Pick<Database, 'read' | 'readInWorker'>; numbers: Pick<Numbers, 'kept'> },
  caller: Caller | KeyCaller,
  { since, device_uid, search, limit, cursor }: InboxSelection,
): Promise<InboxPage> {
  const scope = await scopeOfReader(db.read, caller)
  const tx = search ? db.readInWorker : db.read
  const rows = await receivedStore(tx, scope).page({
    ...readSince(since),
    below: cursorId(cursor),
    device_uid,
    search,
    number: search ? (numbers.kept(caller.company_id, search) ?? dropSeparators(search)) : undefined,
    limit: limit + 1,
  })
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

/** Only later SMS: above this id, or stored after this time. */
function readSince(since: string | undefined): { above?: number; after?: string } {
  if (since === undefined) return {}
  const [, id] = /^r([1-9]\d{0,14})$/.exec(since) ?? []
  if (id !== undefined) return { above: Number(id) }
  if (AnyInstant.safeParse(since).success) return { after: instant(Date.parse(since)) }
  const why = 'must be an id of this list, or an ISO 8601 time with its zone'
  throw invalidField('since', why, 'bad_format', {})
}
