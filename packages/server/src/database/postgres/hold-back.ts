import { connect, patientSettingsOf } from './connection.ts'
import { keepServersOut } from './line.ts'
import { handleOver, transact } from './open.ts'

/** What an operator is told who asks for a backup of PostgreSQL, whose own tools make better ones. */
export const HOW_TO_BACK_UP = `DATABASE_URL is set: PostgreSQL keeps the database, and its own tools back it up while the server runs:

  pg_dump --format=custom --no-owner --file=sms-drone-dash.dump "$DATABASE_URL"

Nothing was backed up here. docs/operating.md says how one is brought back.
`

export const HOW_TO_RESTORE = `DATABASE_URL is set: PostgreSQL's own tools bring a backup back. Stop the server, and then

  pg_restore --no-owner --exit-on-error --dbname "$DATABASE_URL" sms-drone-dash.dump    # into an empty database
  npm run restore -- --hold-back

The second ends all sessions and switches sending off in every company: what waited when the backup was made may have
gone out since, and only a person can know whether it shall go (again).
`

/**
 * After a backup was brought back, before the server starts: sessions end, and sending is off in every company. Throws
 * where a server works on the database.
 */
export async function holdBack(url: string, now: Date): Promise<{ waiting: number; companies: number }> {
  const session = await connect(patientSettingsOf(url))
  try {
    await keepServersOut(session)
    const db = handleOver(session)
    const send_enabled_at = now.toISOString()
    await transact(session, db, async (tx) => {
      await tx.deleteFrom('sessions').execute()
      await tx.updateTable('settings').set({ send_enabled: 0, send_enabled_at }).execute()
    })
    const { waiting } = await db
      .selectFrom('messages')
      .select((select) => select.fn.countAll<number>().as('waiting'))
      .where('step', '<>', 'finished')
      .executeTakeFirstOrThrow()
    const { companies } = await db
      .selectFrom('settings')
      .select((select) => select.fn.countAll<number>().as('companies'))
      .executeTakeFirstOrThrow()
    return { waiting, companies }
  } finally {
    await session.close()
  }
}
