import { type QuotaName, USUAL_QUOTAS } from '@sdd/contract/accounts/quotas.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { type QuotaCount, quotaStore } from './store.ts'

/** The most that the company may have of this at once. */
export async function quotaOf(tx: Tx, company_id: number, name: QuotaName): Promise<number> {
  return (await quotaStore(tx, company_id).most(name)) ?? USUAL_QUOTAS[name]
}

/** How many more the company may have; negative if it has too many. The result stays exact until the commit. */
export async function quotaLeft(tx: Tx, company_id: number, name: QuotaCount, now: string): Promise<number> {
  const quotas = quotaStore(tx, company_id)
  await quotas.hold(name)
  return (await quotaOf(tx, company_id, name)) - (await quotas.used(name, now))
}

/** `quota_reached` if the company may not have one more. */
export async function requireQuota(tx: Tx, company_id: number, name: QuotaCount, now: string): Promise<void> {
  if ((await quotaLeft(tx, company_id, name, now)) < 1) throw quotaReached(name)
}

/** Limits a company's waiting tasks without counting them for each new task. */
export type TaskQuota = {
  /** Returns how many of the `wanted` tasks may wait, and counts them as waiting. */
  take(tx: Tx, company_id: number, wanted: number, now: string): Promise<number>
  /** Call when a quota has changed. */
  forget(): void
}

/** A count is reused for this long. Other servers may meanwhile use up the same quota. */
const COUNT_LASTS_MS = 1_000
/** If less room than this is left, every call counts again. */
const PLENTY = 10_000

/**
 * Tasks are submitted thousands of times a second, so waiting tasks are counted once a second while there is plenty of
 * room.
 */
export function openTaskQuota(): TaskQuota {
  const known = new Map<number, { left: number; until_ms: number }>()

  return {
    async take(tx, company_id, wanted, now) {
      const found = known.get(company_id)
      if (found && performance.now() < found.until_ms && found.left >= wanted + PLENTY) {
        found.left -= wanted
        return wanted
      }
      const left = await quotaLeft(tx, company_id, 'waiting_tasks', now)
      known.set(company_id, { left: left - wanted, until_ms: performance.now() + COUNT_LASTS_MS })
      return Math.max(0, Math.min(wanted, left))
    },
    forget: () => known.clear(),
  }
}

/** Space may become free by itself, for example if tasks are sent, or a superadmin raises the quota. */
const RETRY_SECS = 60

export function quotaReached(name: QuotaCount): Refusal {
  return new Refusal('quota_reached', whyFull(name), {
    params: { quota: name },
    retry_after_secs: RETRY_SECS,
  })
}

function whyFull(name: QuotaCount): string {
  return `The company has as many ${NOUNS[name]} as it may (quota ${name}). ${REMEDIES[name]}, or ask a superadmin to raise the quota.`
}

const NOUNS: Record<QuotaCount, string> = {
  devices: 'devices',
  waiting_tasks: 'waiting tasks',
  api_keys: 'API keys',
  users: 'users',
  link_codes: 'link codes',
  webhooks: 'webhooks',
}

const REMEDIES: Record<QuotaCount, string> = {
  devices: 'Unlink one that is not needed',
  waiting_tasks: 'Wait until some are sent',
  api_keys: 'Revoke one that is not needed',
  users: 'Edit one that is not needed',
  link_codes: 'Wait until some have expired',
  webhooks: 'Remove one that is not needed',
}
