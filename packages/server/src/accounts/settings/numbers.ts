import { type Country, DEFAULT_COUNTRY } from '@sdd/contract/core/countries.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { Logger } from 'pino'
import { keptNumber } from '#server/core/phone-number.ts'
import { fault, invalidFields } from '#server/core/field-faults.ts'
import type { Fault } from '#server/core/refusal.ts'
import type { Peers } from '#server/core/replicas/replicas.ts'
import { openUncommitted } from '#server/core/versioned.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { type FreshSettings, settingsStore } from './store.ts'

/** Reads numbers as each company writes them: Their settings for that are known without a query. */
export type Numbers = {
  country(company_id: number): Country
  /** The stored form of a number; `undefined` if it cannot be one (see `keptNumber`). */
  kept(company_id: number, written: string): string | undefined
  /** What else is known of a company without a query. Another server may have changed it a moment ago. */
  rules(company_id: number): CompanyRules
  /** The same as the transaction sees it. `read` are the settings from `shareSettingsLock`. */
  rulesIn(tx: Tx, company_id: number, read: FreshSettings): CompanyRules | Promise<CompanyRules>
  /**
   * Runs a write that changes the rules. It resolves with the new ones once that is committed. Until it ends, `rulesIn`
   * reads the row if only this server writes it: on SQLite other writes may run before the commit.
   */
  changing<T extends { rules: CompanyRules }>(company_id: number, write: () => Promise<T>): Promise<T>
}

/** `sending_hours` as the settings store them. Null is the default. */
export type CompanyRules = { default_country: Country; sending_hours: string | null }

const USUAL: CompanyRules = { default_country: DEFAULT_COUNTRY, sending_hours: null }

export async function openNumbers({
  db,
  peers,
  log,
}: {
  db: Pick<Database, 'read'>
  peers: Peers
  log: Logger
}): Promise<Numbers> {
  let known = await look()
  const uncommitted = openUncommitted()

  async function look(): Promise<Map<number, CompanyRules>> {
    const rows = await settingsStore(db.read, 'all').list()
    return new Map(
      rows.map(({ company_id, default_country, sending_hours }) => [
        company_id,
        { default_country, sending_hours },
      ]),
    )
  }

  const note = (company_id: number, rules: CompanyRules) => void known.set(company_id, rules)
  const rules = (company_id: number) => known.get(company_id) ?? USUAL
  const country = (company_id: number) => rules(company_id).default_country

  peers.hear({ rules: note })
  peers.missed(() => {
    void look().then(
      (seen) => (known = seen),
      (error: unknown) => log.debug({ err: error }, 'Could not read the rules of the companies'),
    )
  })
  return {
    country,
    rules,
    kept: (company_id, written) => keptNumber(written, country(company_id)),
    rulesIn(tx, company_id, read) {
      if (read.default_country !== undefined) return read
      if (!uncommitted.has(company_id)) return rules(company_id)
      return settingsStore(tx, 'all')
        .of(company_id)
        .then((row) => row ?? USUAL)
    },
    changing: (company_id, write) =>
      uncommitted.during(company_id, async () => {
        const written = await write()
        note(company_id, written.rules)
        peers.tell('rules', company_id, written.rules)
        return written
      }),
  }
}

/** The fault of a field whose text cannot be a number of this country, or of another if it has a `+`. */
export function numberFault(country: Country): Fault {
  const why = `is not a possible phone number of ${country}: write it with + and its country code, such as +34600111222`
  return fault(why, 'number_format', {})
}

/** The stored form of a number. `invalid`, on this field, if it cannot be one. */
export function requireNumber(
  numbers: Pick<Numbers, 'country' | 'kept'>,
  company_id: number,
  written: string,
  field: string,
): string {
  const kept = numbers.kept(company_id, written)
  if (kept !== undefined) return kept
  throw invalidFields({ [field]: numberFault(numbers.country(company_id)) })
}

/**
 * The stored form of a whole number that a person searches. `undefined` if the typed text may be a part of several
 * numbers: it has no country code, or is none.
 */
export function searchedNumber(
  numbers: Pick<Numbers, 'kept'>,
  company_id: number,
  search: string | undefined,
): string | undefined {
  if (!search) return undefined
  const digits = dropSeparators(search)
  const kept = numbers.kept(company_id, search)
  return kept === digits || !kept?.includes(digits) ? kept : undefined
}
