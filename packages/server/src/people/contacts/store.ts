import { isIn, limit, locked, perEngine, sql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { likePart } from '#server/database/like.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { Contacts } from '#server/database/people-tables.ts'

export type ContactRow = Contacts & { opted_out: 0 | 1 }

/** Where a page of contacts ends. Two companies may have the same number. */
export type ContactPlace = { number: string; company_id: number }

export function contactStore(tx: Tx, scope: Scope) {
  return {
    /** By number, after this place. `name` is a part of the name as `foldedName` writes it, `digits` of the number. */
    page: (asked: Asked, after: ContactPlace | undefined, most: number): Promise<ContactRow[]> =>
      tx.rows(PAGE, {
        list: asked.list,
        only: asked.only,
        digits: asked.digits && likePart(asked.digits),
        name: asked.name === undefined ? undefined : likePart(asked.name),
        after: after?.number,
        after_company: after?.company_id,
        limit: most,
        ...within(scope),
      }),

    /** The lists of these contacts, by `company number`. */
    async listsOf(contacts: readonly ContactPlace[]): Promise<Map<string, string[]>> {
      const lists = new Map<string, string[]>()
      for (const [company_id, group] of Map.groupBy(contacts, (contact) => contact.company_id)) {
        const numbers = group.map(({ number }) => number)
        for (const { number, list } of await tx.rows(LISTS_OF, { company_id, numbers }))
          lists.getOrInsertComputed(`${company_id} ${number}`, () => []).push(list)
      }
      return lists
    },

    /** Every list, with its number of contacts. */
    lists: () => tx.rows(LISTS, within(scope)),

    /** The names of all fields of the contacts, sorted. */
    async fieldNames(list: string | undefined): Promise<string[]> {
      const rows = await tx.rows(FIELD_NAMES, { list, ...within(scope) })
      return rows.map(({ name }) => name)
    },
  }
}

type Asked = { [Field in 'list' | 'digits' | 'name' | 'only']?: string | undefined }

/** The contacts of one company, to be changed. */
export function ownContacts(tx: Tx, company_id: number) {
  return {
    /** Locked until the commit. */
    async hold(numbers: readonly string[]): Promise<Map<string, Contacts>> {
      const rows = await tx.rows(HOLD, { company_id, numbers })
      return new Map(rows.map((row) => [row.number, row]))
    },

    insert: (contacts: readonly Contacts[]) => tx.insert('contacts', contacts),

    update: (number: string, change: Change<Contacts>) =>
      tx.update('contacts', { company_id, number }, change),

    async remove(number: string): Promise<void> {
      await tx.run(LEAVE_ALL, { company_id, number })
      await tx.delete('contacts', { company_id, number })
    },

    join: (number: string, lists: readonly string[]) =>
      tx.insert(
        'contact_lists',
        lists.map((list) => ({ company_id, list, number })),
      ),

    async leave(number: string, lists: readonly string[]): Promise<void> {
      for (const list of lists) await tx.delete('contact_lists', { company_id, list, number })
    },
  }
}

const CONTACTS = `select contacts.*, case when exists (select 1 from opt_outs
    where opt_outs.company_id = contacts.company_id and opt_outs.number = contacts.number) then 1 else 0 end as opted_out
  from contacts`

type Page = InScope & {
  list: string | undefined
  only: string | undefined
  digits: string | undefined
  name: string | undefined
  after: string | undefined
  after_company: number | undefined
  limit: number
}

const IN_SCOPE = when('company_id')`and contacts.company_id = :company_id`

const IN_LIST = when('list')`and exists (select 1 from contact_lists
    where contact_lists.company_id = contacts.company_id and contact_lists.number = contacts.number and list = :list)`

const PAGE = sql<ContactRow, Page>`
  ${CONTACTS} where true ${IN_SCOPE} ${IN_LIST} ${when('only')`and contacts.number = :only`}
    ${when('name')`and (name_key like :name escape '\\'
      ${when('digits')`or contacts.number like :digits escape '\\'`})`}
    ${when('after')`and (contacts.number > :after or (contacts.number = :after and contacts.company_id > :after_company))`}
  order by contacts.number, contacts.company_id ${limit()}`

const LISTS_OF = sql<{ number: string; list: string }, { company_id: number; numbers: readonly string[] }>`
  select number, list from contact_lists where company_id = :company_id and ${isIn('number', 'numbers')}
  order by number, list`

const LISTS = sql<{ company_id: number; name: string; contacts: number }, InScope>`
  select company_id, list as name, count(*) as contacts from contact_lists
  where true ${when('company_id')`and company_id = :company_id`}
  group by company_id, list order by list, company_id`

const FIELD_NAMES = sql<{ name: string }, InScope & { list: string | undefined }>`
  select distinct key as name from contacts, ${perEngine({
    sqlite: 'json_each(fields)',
    postgres: 'json_object_keys(cast(fields as json)) as key',
  })}
  where fields <> '{}' ${IN_SCOPE} ${IN_LIST} order by 1`

const HOLD = sql<Contacts, { company_id: number; numbers: readonly string[] }>`
  select * from contacts where company_id = :company_id and ${isIn('number', 'numbers')}
  order by number ${locked('contacts')}`

const LEAVE_ALL = sql<never, { company_id: number; number: string }>`
  delete from contact_lists where company_id = :company_id and number = :number`
