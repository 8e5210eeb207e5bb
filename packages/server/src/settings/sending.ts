import type { Database } from '#server/database/open.ts'
import { settingsStore } from './store.ts'

/** Which companies have sending switched off: known without a query, for what every report asks. */
export type Sending = {
  isOff(company_id: number): boolean
  /** After the commit that switched it. */
  switched(company_id: number, on: boolean): void
}

export async function openSending({ db }: { db: Pick<Database, 'read'> }): Promise<Sending> {
  const rows = await settingsStore(db.read, 'all').list()
  const off = new Set(rows.flatMap((row) => (row.send_enabled === 0 ? [row.company_id] : [])))
  return {
    isOff: (company_id) => off.has(company_id),
    switched(company_id, on) {
      if (on) off.delete(company_id)
      else off.add(company_id)
    },
  }
}
