import { prepareDatabase } from '../../packages/server/src/database/open.ts'
import type { Schema } from '../../packages/server/src/database/schema.ts'
import { fillHotData, type HotScale } from '../../packages/server/test/hot-data.ts'
import type { HotStatement } from '../../packages/server/test/hot-statement.ts'
import { readHotRows } from '../../packages/server/test/hot-statements.ts'
import { openPostgresPlans, type Plan } from '../../packages/server/test/plans.ts'
import { connect, patientSettingsOf } from '../../packages/storage/src/postgres/connection.ts'
import { handleOver, transact } from '../../packages/storage/src/postgres/tx.ts'

/** A filled database, with sessions like those of a server that has run for a while. */
export type Filled = {
  /** The version of its PostgreSQL. */
  version: string
  /** Runs it twice, undoes it, and returns the plans of the second run, without the steps that read tiny tables. */
  explain(statement: HotStatement): Promise<Plan[]>
  close(): Promise<void>
}

export async function openFilled(url: string, scale: HotScale): Promise<Filled> {
  await prepareDatabase(url)
  const session = await connect(patientSettingsOf(url))
  const tx = handleOver<Schema>(session)
  const data = await transact(session, tx, (tx) => fillHotData(tx, scale))
  for (const statement of ['vacuum analyze', 'checkpoint']) await session.send(statement)
  const rows = await readHotRows(tx, data)
  const [{ version }] = (await session.send(`select current_setting('server_version') as version`)).rows as [
    { version: string },
  ]
  await session.close()
  const reading = await openPostgresPlans(url, { writing: false })
  const writing = await openPostgresPlans(url, { writing: true })
  const tiny = await reading.tiny()
  return {
    version: version.split(' ')[0]!,
    async explain(statement) {
      const session = statement.writing ? writing : reading
      await session.of((tx) => statement.run(tx, rows))
      const plans = await session.of((tx) => statement.run(tx, rows))
      return plans.map(({ text, steps }) => ({ text, steps: steps.filter(({ table }) => !tiny.has(table)) }))
    },
    close: async () => void (await Promise.all([reading.close(), writing.close()])),
  }
}
