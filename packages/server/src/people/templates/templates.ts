import type { Template, TemplateChange } from '@sdd/contract/people/templates.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { templateStore } from './store.ts'

type Needs = { db: Database; live: Live; clock: Clock }

export async function listTemplates(
  { db }: Pick<Needs, 'db'>,
  scope: Scope,
): Promise<{ templates: Template[] }> {
  return { templates: await templateStore(db.read, scope).list() }
}

/** Creates a template, or changes the one with this id. Names are unique in a company, without case. */
export async function saveTemplate(
  { db, live, clock }: Needs,
  caller: Caller,
  { id, name, text }: TemplateChange,
  company?: number,
): Promise<{ template: Template; made: boolean }> {
  const result = await db.write(async (tx) => {
    const store = templateStore(tx, caller.scope)
    const before = typeof id === 'number' ? requireTemplate(await store.byId(id), id) : undefined
    const company_id = before?.company_id ?? company ?? caller.company_id
    // Two templates of one name must not be saved at the same time.
    await lockedSettings(tx, caller.scope, company_id)
    const name_key = name.normalize('NFKC').toLowerCase()
    const namesake = await store.byName(company_id, name_key)
    if (namesake !== undefined && namesake.id !== before?.id) throw taken(name)
    if (before === undefined) {
      const made = await store.insert({ company_id, name, name_key, text })
      await recordTemplate(tx, clock, caller, company_id, undefined, { name, text })
      return { template: { id: made, company_id, name, text }, made: true }
    }
    await store.update(before.id, { name, name_key, text })
    await recordTemplate(tx, clock, caller, company_id, before, { name, text })
    return { template: { ...before, name, text }, made: false }
  })
  live.changed(result.template.company_id, 'templates', 'audit')
  return result
}

export async function deleteTemplate({ db, live, clock }: Needs, caller: Caller, id: number): Promise<void> {
  const { company_id } = await db.write(async (tx) => {
    const store = templateStore(tx, caller.scope)
    const template = requireTemplate(await store.byId(id), id)
    await store.remove(id)
    await recordTemplate(tx, clock, caller, template.company_id, template, undefined)
    return template
  })
  live.changed(company_id, 'templates', 'audit')
}

type TemplateText = Pick<Template, 'name' | 'text'>

async function recordTemplate(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  company_id: number,
  before: TemplateText | undefined,
  after: TemplateText | undefined,
): Promise<void> {
  const changes = differences(before, after ?? { name: null, text: null })
  const { name } = (after ?? before)!
  await recordChange(tx, clock, caller, { company_id, action: 'settings.saved', name, changes })
}

function requireTemplate<Row>(row: Row | undefined, id: number): Row {
  if (row === undefined) throw new Refusal('unknown_template', `There is no template ${id}.`)
  return row
}

function taken(name: string): Refusal {
  const why = fault('is the name of another template', 'taken', {})
  return new Refusal(
    'name_taken',
    `There is another template ${JSON.stringify(name)}: choose another name.`,
    {
      fields: { name: why },
    },
  )
}
