import type { ErrorParams } from '@sdd/contract/core/error-params.ts'
import { type Clock, formatDuration, instant } from '#server/core/clock.ts'
import { fault } from '#server/core/field-faults.ts'
import { type Fault, Refusal } from '#server/core/refusal.ts'
import { openVersioned, type Versioned } from '#server/core/versioned.ts'
import type { Database } from '#server/database/open.ts'
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
export type DestinationRules = Versioned<PrefixRules>

export async function openDestinationRules({
  db,
}: {
  db: Pick<Database, 'read'>
}): Promise<DestinationRules> {
  return openVersioned(await versionsOf(db.read), async (tx, company_id) => {
    const row = await destinationStore(tx, company_id).find()
    return row && rulesOf(row)
  })
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
