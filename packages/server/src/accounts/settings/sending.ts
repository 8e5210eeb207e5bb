import type { Logger } from 'pino'
import type { Database } from '#server/database/open.ts'
import type { Others } from '#server/core/replicas/others.ts'
import { settingsStore } from './store.ts'

/** Which companies have sending switched off: known without a query, for what every report asks. */
export type Sending = {
  isOff(company_id: number): boolean
  /** After the commit that switched it. */
  switched(company_id: number, on: boolean): void
}

export async function openSending({
  db,
  others,
  log,
}: {
  db: Pick<Database, 'read'>
  others: Others
  log: Logger
}): Promise<Sending> {
  let off = await look()

  async function look(): Promise<Set<number>> {
    const rows = await settingsStore(db.read, 'all').list()
    return new Set(rows.flatMap((row) => (row.send_enabled === 0 ? [row.company_id] : [])))
  }

  function note(company_id: number, on: boolean): void {
    if (on) off.delete(company_id)
    else off.add(company_id)
  }

  others.hear({ sending: note })
  others.missed(() => {
    void look().then(
      (seen) => (off = seen),
      (error: unknown) => log.debug({ err: error }, 'What is switched off could not be read'),
    )
  })
  return {
    isOff: (company_id) => off.has(company_id),
    switched(company_id, on) {
      note(company_id, on)
      others.tell('sending', company_id, on)
    },
  }
}
