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
  /**
   * Runs a write that changes what the company keeps. It resolves with the version in the settings once that is
   * committed. Until it ends, `of` without a version reads the row. The write may be rolled back or run again, and on
   * SQLite other writes may run before its commit.
   */
  changing<T extends { version: number }>(company_id: number, write: () => Promise<T>): Promise<T>
}

/** `versions` are those that are not 0, by company. */
export function openVersioned<Kept extends { readonly version: number }>(
  versions: Map<number, number>,
  read: (tx: Tx, company_id: number) => Promise<Kept | undefined>,
): Versioned<Kept> {
  const known = new Map<number, Kept>()
  const uncommitted = openUncommitted()

  async function look(tx: Tx, company_id: number): Promise<Kept | undefined> {
    const kept = await read(tx, company_id)
    if (kept !== undefined) known.set(company_id, kept)
    return kept
  }

  return {
    of(tx, company_id, version) {
      if (version === undefined && uncommitted.has(company_id)) return look(tx, company_id)
      const asked = version ?? versions.get(company_id) ?? 0
      if (asked === 0) return undefined
      const kept = known.get(company_id)
      return kept?.version === asked ? kept : look(tx, company_id)
    },

    changing: (company_id, write) =>
      uncommitted.during(company_id, async () => {
        const written = await write()
        versions.set(company_id, written.version)
        return written
      }),
  }
}

/** The companies of which a change is being written. */
export function openUncommitted() {
  /** How many changes each company has. */
  const changes = new Map<number, number>()

  return {
    has: (company_id: number): boolean => changes.has(company_id),
    /** Runs the write of a change. */
    async during<T>(company_id: number, write: () => Promise<T>): Promise<T> {
      changes.set(company_id, (changes.get(company_id) ?? 0) + 1)
      try {
        return await write()
      } finally {
        const left = changes.get(company_id)! - 1
        if (left > 0) changes.set(company_id, left)
        else changes.delete(company_id)
      }
    },
  }
}
