import { limit, perEngine, plannedEachTime, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Inbox, Tx } from '#server/database/schema.ts'

type Asked = {
  above?: number | undefined
  after?: string | undefined
  below: number | undefined
  device_uid: string | undefined
  search: string | undefined
  /** The searched number as it would be stored. */
  number: string | undefined
  limit: number
}

/** The received SMS of the scope. */
export function receivedStore(tx: Tx, scope: Scope) {
  return {
    /** The last stored first. */
    page: ({ search, number, ...asked }: Asked) =>
      tx.rows(PAGE, {
        above: undefined,
        after: undefined,
        ...asked,
        part: search ? partOf(search) : undefined,
        part_of_number: number ? partOf(number) : undefined,
        ...within(scope),
      }),
  }
}

function partOf(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}

type Row = Pick<Selectable<Inbox>, 'id' | 'company_id' | 'sms_from' | 'text' | 'sms_at' | 'sim'> & {
  device_uid: string
  reply_to: string | null
}

const LIKE = perEngine({ sqlite: 'like', postgres: 'ilike' })

/** A message is looked up only if the SMS answers one. */
const PAGE = sql<
  Row,
  InScope & {
    above: number | undefined
    after: string | undefined
    below: number | undefined
    device_uid: string | undefined
    part: string | undefined
    part_of_number: string | undefined
    limit: number
  }
>`
  select inbox.id, inbox.company_id, sms_from, text, sms_at, sim, uid as device_uid,
    case when message_id is not null then (select guid from messages where messages.id = message_id) end as reply_to
  from inbox join devices on devices.id = device_id
  where true ${when('company_id')`and inbox.company_id = :company_id`}
    ${when('below')`and inbox.id < :below`} ${when('above')`and inbox.id > :above`}
    ${when('after')`and received_at > :after`}
    ${when('device_uid')`and uid = :device_uid`}
    ${when('part')`and (text ${LIKE} :part escape '\\' or sms_from ${LIKE} :part_of_number escape '\\')`}
  order by inbox.id desc ${limit()} ${plannedEachTime()}`
