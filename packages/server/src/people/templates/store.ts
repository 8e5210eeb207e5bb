import { sql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Templates } from '#server/database/people-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'

type TemplateRow = { id: number; company_id: number; name: string; text: string }

export function templateStore(tx: Tx, scope: Scope) {
  return {
    /** By name. */
    list: () => tx.rows(LIST, within(scope)),

    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    byName: (company_id: number, name_key: string) => tx.first(BY_NAME, { of: company_id, name_key }),

    insert: (template: Omit<Templates, 'id'>) => tx.insertRow('templates', template),

    update: (id: number, change: Change<Templates>) => tx.update('templates', { id }, change),

    remove: (id: number) => tx.delete('templates', { id }),
  }
}

const TEMPLATES = 'select id, company_id, name, text from templates'

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const LIST = sql<TemplateRow, InScope>`${TEMPLATES} where true ${IN_SCOPE} order by name_key, company_id`

const BY_ID = sql<TemplateRow, { id: number } & InScope>`${TEMPLATES} where id = :id ${IN_SCOPE}`

const BY_NAME = sql<TemplateRow, { of: number; name_key: string }>`
  ${TEMPLATES} where company_id = :of and name_key = :name_key`
