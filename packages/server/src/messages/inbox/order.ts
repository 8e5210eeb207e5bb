/**
 * The advisory lock of PostgreSQL, with the company's id, that keeps a company's received SMS in the order of their
 * commits. The callbacks about them are created and completed under it too.
 */
const INBOX_LOCK = 0x1b0c

/** SQL that takes the lock until the commit. */
export function lockInbox(company_id: string): string {
  return `pg_advisory_xact_lock(${INBOX_LOCK}, cast(${company_id} as integer))`
}
