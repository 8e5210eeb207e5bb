import { type Country, DEFAULT_COUNTRY } from '@sdd/contract/core/countries.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { Logger } from 'pino'
import type { Scope } from '#server/core/context.ts'
import { keptNumber } from '#server/core/phone-number.ts'
import { fault, invalidFields } from '#server/core/field-faults.ts'
import type { Fault } from '#server/core/refusal.ts'
import type { Peers } from '#server/core/replicas/replicas.ts'
import { openUncommitted } from '#server/core/versioned.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { type FreshSettings, type SettingsRow, settingsStore } from './store.ts'

/** Reads numbers as each company writes them: Their settings for that are known without a query. */
export type Numbers = {
  country(company_id: number): Country
  /** The stored form of a number; `undefined` if it cannot be one (see `keptNumber`). */
  kept(company_id: number, written: string): string | undefined
  /** What else is known of a company without a query. Another server may have changed it a moment ago. */
  rules(company_id: number): CompanyRules
  /** The same as the transaction sees it. `read` are the settings from `shareSettingsLock`. */
  rulesIn(tx: Tx, company_id: number, read: FreshSettings): CompanyRules | Promise<CompanyRules>
  /** Whether the company has switched sending off. Every report asks for it. */
  isSendingOff(company_id: number): boolean
  /**
   * Runs a write that changes the rules. It resolves with the new ones once that is committed. Until it ends, `rulesIn`
   * reads the row if only this server writes it: on SQLite other writes may run before the commit.
   */
  changing<T extends { rules: Known }>(company_id: number, write: () => Promise<T>): Promise<T>
}

/** `sending_hours` as the settings store them. Null is the default. */
export type CompanyRules = { default_country: Country; sending_hours: string | null }

type Known = CompanyRules & Pick<SettingsRow, 'send_enabled'>

const USUAL: Known = { default_country: DEFAULT_COUNTRY, sending_hours: null, send_enabled: 1 }

export async function openNumbers({
  db,
  peers,
  log,
}: {
  db: Pick<Database, 'read'>
  peers: Peers
  log: Logger
}): Promise<Numbers> {
  const known = new Map<number, Known>()
  const uncommitted = openUncommitted()
  let changes = 0
  /** The number of the last known change of each company, made here or elsewhere. */
  const lastChanges = new Map<number, number>()

  const note = (company_id: number, { default_country, sending_hours, send_enabled }: Known) =>
    void known.set(company_id, { default_country, sending_hours, send_enabled })
  const rules = (company_id: number) => known.get(company_id) ?? USUAL
  const country = (company_id: number) => rules(company_id).default_country

  /** Reads the rules, but takes none that changed since the read began: another read follows such a change. */
  async function look(scope: Scope): Promise<void> {
    const before = changes
    for (const row of await settingsStore(db.read, scope).list()) {
      if ((lastChanges.get(row.company_id) ?? 0) <= before) note(row.company_id, row)
    }
  }

  function lookAgain(scope: Scope): void {
    look(scope).catch((error: unknown) =>
      log.debug({ err: error }, 'Could not read the rules of the companies'),
    )
  }

  /** Servers may hear of two changes in another order than they were made, so only a later read tells which holds. */
  function changed(company_id: number): void {
    lastChanges.set(company_id, ++changes)
    lookAgain({ company_id })
  }

  // Before the first read, which would miss a change that is made meanwhile.
  peers.hear({ settings: changed })
  peers.missed(() => lookAgain('all'))
  await look('all')
  return {
    country,
    rules,
    isSendingOff: (company_id) => rules(company_id).send_enabled === 0,
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
        changed(company_id)
        peers.tell('settings', company_id)
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
