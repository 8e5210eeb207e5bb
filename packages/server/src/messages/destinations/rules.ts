import type { Clock } from '#server/core/clock.ts'
import { formatDuration } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
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
export function explainDestination(
  rules: PrefixRules,
  number: string,
): { field: string; detail: string } | undefined {
  const denied = prefixIn(rules.deny, number)
  if (denied !== undefined) return refused(number, `begins with ${denied}, which is on the deny list`)
  if (rules.allow.size === 0 || prefixIn(rules.allow, number) !== undefined) return undefined
  return refused(number, 'begins with no prefix of the allow list')
}

function refused(number: string, field: string) {
  const detail = `${number} ${field}: nothing is sent to it. An admin can change that in Settings, Destinations.`
  return { field, detail }
}

function prefixIn(prefixes: ReadonlySet<string>, number: string): string | undefined {
  if (prefixes.size === 0) return undefined
  for (let length = 1; length <= number.length; length++) {
    const prefix = number.slice(0, length)
    if (prefixes.has(prefix)) return prefix
  }
  return undefined
}

/** `destination_refused` if a message of the console may not go to this number. */
export function refuseDestination(rules: PrefixRules, number: string): void {
  const why = explainDestination(rules, number)
  if (why) throw new Refusal('destination_refused', why.detail, { fields: { telefono_to: why.field } })
}

/** A sentence for a number that has reached today's cap. */
export function explainCap(number: string, max: number, clock: Clock, now_ms: number): string {
  const again = formatDuration(untilMidnight(clock, now_ms))
  return `${number} has been sent ${max} ${max === 1 ? 'message' : 'messages'} today, and may have no more. Wait ${again}, or have an admin raise the cap in Settings, Destinations.`
}

/** Seconds until the day of the limits ends. */
export function untilMidnight(clock: Clock, now_ms: number): number {
  return Math.ceil((clock.midnightAfter(now_ms) - now_ms) / 1_000)
}
