import type { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { limit, plannedEachTime, sql, type Statement, when } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { selectAnywhere, selectIn } from '#server/messages/messages/rows.ts'
import { MESSAGE_COLUMNS, type MessageRow } from '#server/messages/messages/store.ts'

/** The messages that other systems submitted. */
export function taskStore(tx: Tx, scope: Scope) {
  return {
    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    byGuid: (guid: string) => tx.first(BY_GUID, { guid, ...within(scope) }),

    /** Newest first, with ids below `before`. */
    async page(filter: TaskFilter, before: number | undefined, limit: number): Promise<MessageRow[]> {
      const companies = scope === 'all' ? await tx.rows(COMPANIES) : [{ id: scope.company_id }]
      const pages = await Promise.all(
        companies.map(({ id }) =>
          tx.rows(PAGES[filter], { company_id: id, before: before ?? Number.MAX_SAFE_INTEGER, limit }),
        ),
      )
      return pages
        .flat()
        .sort((one, other) => other.id - one.id)
        .slice(0, limit)
    },
  }
}

const ONE = `${selectAnywhere(MESSAGE_COLUMNS)} and task = 1`

const BY_ID = sql<MessageRow, { id: number } & InScope>`
  ${ONE} and messages.id = :id ${when('company_id')`and messages.company_id = :company_id`}`

/** SQLite uses the index on company and guid once for each company. */
const BY_GUID = sql<MessageRow, { guid: string } & InScope>`
  ${ONE} and guid = :guid
    and messages.company_id in (select id from companies ${when('company_id')`where id = :company_id`})
  order by messages.id desc limit 1`

const COMPANIES = sql<{ id: number }>`select id from companies`

type Page = { company_id: number; before: number; limit: number }

const PAGE =
  'and task = 1 and messages.company_id = :company_id and messages.id < :before order by messages.id desc'

/** The places that have tasks in these states are small, or have most tasks. */
const ALL = sql<MessageRow, Page>`${selectAnywhere(MESSAGE_COLUMNS)} ${PAGE} ${limit()} ${plannedEachTime()}`

const RECEIVED = sql<
  MessageRow,
  Page
>`${selectIn('queue', MESSAGE_COLUMNS)} ${PAGE} ${limit()} ${plannedEachTime()}`

const STARTED = sql<MessageRow, Page>`
  ${selectIn('in_flight', MESSAGE_COLUMNS)} and completed_at is null ${PAGE} ${limit()} ${plannedEachTime()}`

const COMPLETED = sql<MessageRow, Page>`
  ${selectAnywhere(MESSAGE_COLUMNS)}
    and (in_flight.completed_at is not null or outcomes.state not in ('expired', 'cancelled')) ${PAGE} ${limit()} ${plannedEachTime()}`

const PAGES: Record<TaskFilter, Statement<MessageRow, Page>> = {
  all: ALL,
  received: RECEIVED,
  started: STARTED,
  completed: COMPLETED,
}
