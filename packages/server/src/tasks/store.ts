import type { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { limit, type Part, sql, type Statement, when } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
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

const SELECT = `select ${MESSAGE_COLUMNS} from messages`

const BY_ID = sql<MessageRow, { id: number } & InScope>`
  ${SELECT} where task = 1 and id = :id ${when('company_id')`and company_id = :company_id`}`

/** SQLite uses the index on company and guid once for each company. */
const BY_GUID = sql<MessageRow, { guid: string } & InScope>`
  ${SELECT} where task = 1 and guid = :guid
    and company_id in (select id from companies ${when('company_id')`where id = :company_id`})
  order by id desc limit 1`

const COMPANIES = sql<{ id: number }>`select id from companies`

/** A company's newest tasks in one step. The condition must match that of an index, which has them in this order. */
function newestIn(step: string): Part {
  return (place) => `select * from (
    ${SELECT} where company_id = :company_id and task = 1 and ${step} and id < :before
    order by id desc ${limit()(place)}) as part`
}

const waiting = newestIn(`step <> 'finished' and step = 'waiting'`)
const given = newestIn(`step <> 'finished' and step = 'given'`)
const finished = newestIn(`step = 'finished'`)
const completed = newestIn(`step = 'finished' and state not in ('expired', 'cancelled')`)

type Page = { company_id: number; before: number; limit: number }

/** A task is in exactly one step at any time. */
const ALL = sql<MessageRow, Page>`
  ${waiting} union all ${given} union all ${finished} order by id desc ${limit()}`

const RECEIVED = sql<MessageRow, Page>`${waiting}`

const STARTED = sql<MessageRow, Page>`${given}`

const COMPLETED = sql<MessageRow, Page>`${completed}`

const PAGES: Record<TaskFilter, Statement<MessageRow, Page>> = {
  all: ALL,
  received: RECEIVED,
  started: STARTED,
  completed: COMPLETED,
}
