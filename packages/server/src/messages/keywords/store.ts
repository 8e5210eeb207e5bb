import { sql, when } from '@sdd/storage/sql.ts'
import type { KeywordAction } from '@sdd/contract/messages/keywords.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { AutoAnswers, Keywords } from '#server/database/people-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'

export type KeywordRow = {
  id: number
  company_id: number
  word: string
  answer: string | null
  action: KeywordAction
}

export function keywordStore(tx: Tx, scope: Scope) {
  return {
    /** By word. */
    list: () => tx.rows(LIST, within(scope)),

    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    byKey: (company_id: number, word_key: string) => tx.first(BY_KEY, { of: company_id, word_key }),

    count: async (company_id: number): Promise<number> => (await tx.first(COUNT, { of: company_id }))!.count,

    insert: (keyword: Omit<Keywords, 'id'>) => tx.insertRow('keywords', keyword),

    update: (id: number, change: Change<Keywords>) => tx.update('keywords', { id }, change),

    remove: (id: number) => tx.delete('keywords', { id }),
  }
}

/** The automatic answers of today and of the last minute, by number. */
export function autoAnswerStore(tx: Tx, company_id: number) {
  return {
    of: (number: string) => tx.first(ANSWERS_TO, { company_id, number }),

    put: (number: string, answers: Pick<AutoAnswers, 'day' | 'count' | 'last_at'>) =>
      tx.put('auto_answers', { company_id, number }, answers),

    forget: (before: string) => tx.run(FORGET, { company_id, before }),
  }
}

const KEYWORDS = 'select id, company_id, word, answer, action from keywords'

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const LIST = sql<KeywordRow, InScope>`${KEYWORDS} where true ${IN_SCOPE} order by word_key, company_id`

const BY_ID = sql<KeywordRow, { id: number } & InScope>`${KEYWORDS} where id = :id ${IN_SCOPE}`

const BY_KEY = sql<KeywordRow, { of: number; word_key: string }>`
  ${KEYWORDS} where company_id = :of and word_key = :word_key`

const COUNT = sql<{ count: number }, { of: number }>`
  select count(*) as count from keywords where company_id = :of`

const ANSWERS_TO = sql<AutoAnswers, { company_id: number; number: string }>`
  select * from auto_answers where company_id = :company_id and number = :number`

const FORGET = sql<never, { company_id: number; before: string }>`
  delete from auto_answers where company_id = :company_id and day < :before`
