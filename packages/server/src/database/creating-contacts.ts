import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Creates the tables of contacts and templates. */
export async function createContacts(tx: Tx): Promise<void> {
  const { int, text, id, byKey } = columnTypes(tx.engine)
  for (const statement of [
    `create table contacts (
      company_id ${int} not null references companies(id), number ${text} not null,
      name ${text}, name_key ${text} not null, fields ${text} not null,
      consent_at ${text}, consent_how ${text}, consent_by ${text}, updated_at ${text} not null,
      primary key (company_id, number)) ${byKey}`,
    `create index contacts_by_number on contacts (number, company_id)`,
    `create table contact_lists (
      company_id ${int} not null references companies(id), list ${text} not null, number ${text} not null,
      primary key (company_id, list, number)) ${byKey}`,
    `create index contact_lists_by_number on contact_lists (company_id, number)`,
    `create table templates (
      ${id}, company_id ${int} not null references companies(id), name ${text} not null, name_key ${text} not null,
      text ${text} not null)`,
    `create unique index templates_by_name on templates (company_id, name_key)`,
  ])
    await tx.query(statement)
}

/** Creates the tables of keywords and their answers. */
export async function createKeywords(tx: Tx): Promise<void> {
  const { int, text, id, byKey } = columnTypes(tx.engine)
  for (const statement of [
    `create table keywords (
      ${id}, company_id ${int} not null references companies(id), word ${text} not null, word_key ${text} not null,
      answer ${text}, action ${text} not null)`,
    `create unique index keywords_by_word on keywords (company_id, word_key)`,
    `create table auto_answers (
      company_id ${int} not null references companies(id), number ${text} not null, day ${text} not null,
      count ${int} not null, last_at ${text} not null,
      primary key (company_id, number)) ${byKey}`,
    `create index auto_answers_by_day on auto_answers (company_id, day)`,
  ])
    await tx.query(statement)
}
