import type { Destinations, DestinationsChange } from '@sdd/contract/messages/destinations.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { DestinationRows } from '#server/database/task-tables.ts'
import type { Live } from '#server/core/live.ts'
import { lockedSettings, settingsOf, storeRuleVersion } from '#server/accounts/settings/settings.ts'
import { newVersion } from '#server/core/versioned.ts'
import type { DestinationRules } from './rules.ts'
import { destinationStore, recipientCountStore } from './store.ts'

type Needs = { db: Database; live: Live; clock: Clock; destinations: DestinationRules }

const NOTHING = { allow: [], deny: [], max_per_recipient_dayly: null }

/** The rules for a company's destinations. `unknown_company` if the caller sees no such company. */
export async function readDestinations(
  { db }: Pick<Needs, 'db'>,
  caller: Caller,
  company_id: number = caller.company_id,
): Promise<Destinations> {
  await settingsOf(db.read, caller.scope, company_id)
  return { company_id, ...shown(await destinationStore(db.read, company_id).find()) }
}

/**
 * Saves the rules for a company's destinations. A message submitted at the same time uses the old rules, or waits. Once
 * this resolves, the new rules apply at every server. `unknown_company` as above.
 */
export async function saveDestinations(
  { db, live, clock, destinations }: Needs,
  caller: Caller,
  change: DestinationsChange,
  company_id: number = caller.company_id,
): Promise<Destinations> {
  const { allow, deny, max_per_recipient_dayly } = change
  const after = { allow, deny, max_per_recipient_dayly }
  await destinations.changing(company_id, () =>
    db.write(async (tx) => {
      const settings = await lockedSettings(tx, caller.scope, company_id)
      const store = destinationStore(tx, company_id)
      const row = await store.find()
      const restricts = allow.length + deny.length > 0 || max_per_recipient_dayly !== null
      const version = restricts ? newVersion() : 0
      const wasCapped = row !== undefined && row.max_per_recipient_dayly !== null
      // Numbers were not counted until now, so today's messages show how many there were.
      if (!wasCapped) await recipientCountStore(tx, company_id).clear()
      await store.put({
        company_id,
        version,
        allow: JSON.stringify(allow),
        deny: JSON.stringify(deny),
        max_per_recipient_dayly,
        capped_at: max_per_recipient_dayly === null ? null : wasCapped ? row.capped_at : instant(clock.now()),
      })
      await storeRuleVersion(tx, caller.scope, settings.id, { destinations: version })
      const changes = differences(shown(row), after)
      await recordChange(tx, clock, caller, {
        company_id,
        action: 'destinations.changed',
        name: 'Destinations',
        changes,
      })
      return { version }
    }),
  )
  live.changed(company_id, 'settings', 'audit')
  return { company_id, ...after }
}

function shown(row: DestinationRows | undefined): Omit<Destinations, 'company_id'> {
  if (row === undefined) return NOTHING
  const [allow, deny] = [row.allow, row.deny].map((list) => JSON.parse(list) as string[])
  return { allow: allow!, deny: deny!, max_per_recipient_dayly: row.max_per_recipient_dayly }
}
