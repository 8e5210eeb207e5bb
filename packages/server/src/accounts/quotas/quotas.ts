import {
  type QuotaName,
  quotaNames,
  type Quotas,
  type QuotasChange,
  USUAL_QUOTAS,
} from '@sdd/contract/accounts/quotas.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { lockedSettings, settingsOf } from '#server/accounts/settings/settings.ts'
import { type QuotaCount, quotaStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live; taskQuota: { forget(): void } }

/** The quotas of the caller's company, or of another company in its scope: `unknown_company`. */
export async function readQuotas(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  caller: Caller,
  company_id: number = caller.company_id,
): Promise<Quotas> {
  await settingsOf(db.read, caller.scope, company_id)
  return quotasOf(db.read, company_id, instant(clock.now()))
}

/** Sets the quotas in the change. A company above its new quota keeps what it has. `unknown_company`. */
export async function saveQuotas(
  { db, clock, live, taskQuota }: Needs,
  caller: Caller,
  change: QuotasChange,
  company_id: number = caller.company_id,
): Promise<Quotas> {
  const saved = await db.write(async (tx) => {
    await lockedSettings(tx, caller.scope, company_id)
    const quotas = quotaStore(tx, company_id)
    const before = await mostOf(tx, company_id)
    for (const name of quotaNames) {
      const most = change[name]
      if (most === null) await quotas.remove(name)
      else if (most !== undefined) await quotas.set(name, most)
    }
    const after = await mostOf(tx, company_id)
    const changes = Object.fromEntries(
      quotaNames.map((name) => [name, { from: before[name], to: after[name] }]),
    )
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'settings.quotas_changed',
      name: 'Quotas',
      changes,
    })
    return quotasOf(tx, company_id, instant(clock.now()))
  })
  taskQuota.forget()
  live.changed(company_id, 'settings', 'audit')
  return saved
}

async function mostOf(tx: Tx, company_id: number): Promise<Record<QuotaName, number>> {
  const rows = await quotaStore(tx, company_id).list()
  return { ...USUAL_QUOTAS, ...Object.fromEntries(rows.map(({ name, most }) => [name, most])) }
}

async function quotasOf(tx: Tx, company_id: number, now: string): Promise<Quotas> {
  const most = await mostOf(tx, company_id)
  const used = async (name: QuotaName) =>
    name === 'sessions' || name === 'live_connections'
      ? null
      : await quotaStore(tx, company_id).used(name satisfies QuotaCount, now)
  const quotas = {} as Quotas['quotas']
  for (const name of quotaNames) {
    quotas[name] = { most: most[name], usual: USUAL_QUOTAS[name], used: await used(name) }
  }
  return { company_id, quotas }
}
