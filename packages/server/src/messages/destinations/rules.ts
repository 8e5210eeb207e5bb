import type { ErrorParams } from '@sdd/contract/core/error-params.ts'
import { type Clock, formatDuration, instant } from '#server/core/clock.ts'
import { fault } from '#server/core/field-faults.ts'
import { type Fault, Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DestinationRows } from '#server/database/task-tables.ts'
import { destinationStore, versionsOf } from './store.ts'

/** The rules for a company's destinations. */
export type PrefixRules = {
  readonly version: number
  readonly allow: ReadonlySet<string>
  readonly deny: ReadonlySet<string>
  readonly max_per_recipient_dayly: number | null
  /** The start of the cap. Messages accepted earlier on that day were not counted as they came. */
  readonly capped_at: string | null
}

/** The rules of each company, cached by their version. A company without rules costs no statement. */
export type DestinationRules = {
  /** `version` is that of the company's settings, if they were read; `undefined` if only this server writes them. */
  of(
    tx: Tx,
    company_id: number,
    version: number | undefined,
  ): Promise<PrefixRules | undefined> | PrefixRules | undefined
  /** The company's settings now name this version, in a transaction that is not committed yet. */
  changes(company_id: number, version: number): void
}

export async function openDestinationRules({
  db,
}: {
  db: Pick<Database, 'read'>
}): Promise<DestinationRules> {
  const versions = await versionsOf(db.read)
  const known = new Map<number, PrefixRules>()

  async function look(tx: Tx, company_id: number): Promise<PrefixRules | undefined> {
    const row = await destinationStore(tx, company_id).find()
    if (row === undefined) return undefined
    const rules = rulesOf(row)
    // A version is never used again, so the version of a rolled-back transaction is never asked for.
    known.set(company_id, rules)
    return rules
  }

  return {
    of(tx, company_id, version = versions.get(company_id) ?? 0) {
      if (version === 0) return undefined
      const rules = known.get(company_id)
      return rules?.version === version ? rules : look(tx, company_id)
    },
    changes: (company_id, version) => void versions.set(company_id, version),
  }
}

function rulesOf({ version, allow, deny, ...rest }: DestinationRows): PrefixRules {
  const { max_per_recipient_dayly, capped_at } = rest
  const [allowed, denied] = [allow, deny].map((list) => new Set(JSON.parse(list) as string[]))
  return { version, allow: allowed!, deny: denied!, max_per_recipient_dayly, capped_at }
}

/** Why a message may not go to this number: as an error of the field, and as a sentence. `undefined` if it may. */
export function explainDestination(rules: PrefixRules, number: string): RefusedDestination | undefined {
  const denied = prefixIn(rules.deny, number)
  if (denied !== undefined) return refused(number, denied, `begins with ${denied}, which is on the deny list`)
  if (rules.allow.size === 0 || prefixIn(rules.allow, number) !== undefined) return undefined
  return refused(number, null, 'begins with no prefix of the allow list')
}

type RefusedDestination = { field: Fault; detail: string; params: ErrorParams<'destination_refused'> }

function refused(number: string, prefix: string | null, why: string): RefusedDestination {
  const detail = `${number} ${why}: nothing is sent to it. An admin can change that in Settings, Destinations.`
  return { field: fault(why, 'destination_refused', { prefix }), detail, params: { number, prefix } }
}

function prefixIn(prefixes: ReadonlySet<string>, number: string): string | undefined {
  if (prefixes.size === 0) return undefined
  for (let length = 1; length <= number.length; length++) {
    const prefix = number.slice(0, length)
    if (prefixes.has(prefix)) return prefix
  }
  return undefined
}

/** `destination_refused`, on this field, if a message of the console may not go to this number. */
export function refuseDestination(rules: PrefixRules, number: string, on: string): void {
  const why = explainDestination(rules, number)
  if (why === undefined) return
  const { field, detail, params } = why
  throw new Refusal('destination_refused', detail, { params, fields: { [on]: field } })
}

/** The refusal of a message to a number that has reached today's cap. */
export function capRefusal(number: string, limit: number, clock: Clock, now_ms: number): Refusal {
  const until_ms = clock.midnightAfter(now_ms)
  const retry_after_secs = Math.ceil((until_ms - now_ms) / 1_000)
  const sent = `${number} has been sent ${limit} ${limit === 1 ? 'message' : 'messages'} today, and may have no more`
  const remedy = `Wait ${formatDuration(retry_after_secs)}, or have an admin raise the cap in Settings, Destinations`
  const params = { number, limit, until: instant(until_ms) }
  return new Refusal('recipient_limit', `${sent}. ${remedy}.`, { params, retry_after_secs })
}
