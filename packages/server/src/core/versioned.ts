import { randomInt } from 'node:crypto'
import type { Tx } from '#server/database/schema.ts'

const VERSIONS = 2 ** 47

/** A version that was never used before. So that of a rolled-back transaction is never asked for. */
export function newVersion(): number {
  return randomInt(1, VERSIONS)
}

/** What each company keeps, cached by its version. A company that keeps nothing (version 0) costs no statement. */
export type Versioned<Kept> = {
  /** `version` is that of the company's settings, if they were read; `undefined` if only this server writes them. */
  of(tx: Tx, company_id: number, version: number | undefined): Promise<Kept | undefined> | Kept | undefined
  /** The company's settings now name this version, in a transaction that is not committed yet. */
  changes(company_id: number, version: number): void
}

/** `versions` are those that are not 0, by company. */
export function openVersioned<Kept extends { readonly version: number }>(
  versions: Map<number, number>,
  read: (tx: Tx, company_id: number) => Promise<Kept | undefined>,
): Versioned<Kept> {
  const known = new Map<number, Kept>()

  async function look(tx: Tx, company_id: number): Promise<Kept | undefined> {
    const kept = await read(tx, company_id)
    if (kept !== undefined) known.set(company_id, kept)
    return kept
  }

  return {
    of(tx, company_id, version = versions.get(company_id) ?? 0) {
      if (version === 0) return undefined
      const kept = known.get(company_id)
      return kept?.version === version ? kept : look(tx, company_id)
    },
    changes: (company_id, version) => void versions.set(company_id, version),
  }
}
