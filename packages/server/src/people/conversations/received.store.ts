import { isIn, limit, plannedEachTime, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Inbox, Tx } from '#server/database/schema.ts'
import { type Parts, partsOf, RECEIVED_HAS, type Searched } from './search.store.ts'

export type AskedReceived = {
  above?: number | undefined
  after?: string | undefined
  below: number | undefined
  device_uid: string | undefined
  limit: number
}

/** The received SMS of the scope, the last stored first. */
export function receivedStore(tx: Tx, scope: Scope) {
  const page = (asked: AskedReceived, search: Partial<Parts & { ids: readonly number[] }>) =>
    tx.rows(PAGE, {
      above: undefined,
      after: undefined,
      ids: undefined,
      part: undefined,
      spelled: undefined,
      digits: undefined,
      number: undefined,
      ...asked,
      ...search,
      ...within(scope),
    })
  return {
    page: (asked: AskedReceived) => page(asked, {}),

    /** Those with this text, or in a number that is part of it; only among these ids, if given. */
    search: (searched: Searched, asked: AskedReceived, ids?: readonly number[]) =>
      page(asked, { ...partsOf(searched), ...(ids && { ids }) }),
  }
}

type Row = Pick<Selectable<Inbox>, 'id' | 'company_id' | 'sms_from' | 'text' | 'sms_at' | 'sim'> & {
  device_uid: string
  reply_to: string | null
}

/** A message is looked up only if the SMS answers one. */
const PAGE = sql<
  Row,
  InScope & {
    above: number | undefined
    after: string | undefined
    below: number | undefined
    device_uid: string | undefined
    ids: readonly number[] | undefined
    limit: number
  } & Partial<Parts>
>`
  select inbox.id, inbox.company_id, sms_from, text, sms_at, sim, uid as device_uid,
    case when message_id is not null then (select guid from messages where messages.id = message_id) end as reply_to
  from inbox join devices on devices.id = device_id
  where true ${when('company_id')`and inbox.company_id = :company_id`}
    ${when('below')`and inbox.id < :below`} ${when('above')`and inbox.id > :above`}
    ${when('after')`and received_at > :after`}
    ${when('device_uid')`and uid = :device_uid`}
    ${when('ids')`and ${isIn('inbox.id', 'ids')}`}
    ${when('part')`and (${RECEIVED_HAS[0]} ${RECEIVED_HAS[1]} ${RECEIVED_HAS[2]})`}
  order by inbox.id desc ${limit()} ${plannedEachTime()}`
