import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connect, settingsOf } from '../../../packages/storage/src/postgres/connection.ts'

/** At which server each device is connected, as the database has it. */
export type Owners = {
  /** The name under which the server works where this device is connected; `undefined` where it is nowhere. */
  of(uid: string): Promise<string | undefined>
  /** The devices connected at this server. */
  at(replica: string): Promise<string[]>
  /** Where each of these devices is connected, but for those that are nowhere. */
  now(uids: readonly string[]): Promise<Map<string, string>>
  close(): Promise<void>
}

const ASK_AGAIN_MS = 100
const CONNECTED = `select uid, replica from devices where status = 'connected' and unlinked_at is null`

/** Asks by a session of its own; while PostgreSQL is away, until it is back. */
export function openOwners(database_url: string): Owners {
  let session: Promise<Connection> | undefined

  async function ask(): Promise<Map<string, string>> {
    for (;;) {
      try {
        session ??= connect(settingsOf(database_url))
        const { rows } = await (await session).send(CONNECTED)
        return new Map((rows as { uid: string; replica: string }[]).map(({ uid, replica }) => [uid, replica]))
      } catch {
        session = undefined
        await wait(ASK_AGAIN_MS)
      }
    }
  }

  return {
    of: async (uid) => (await ask()).get(uid),
    async at(replica) {
      const all = await ask()
      return [...all.keys()].filter((uid) => all.get(uid) === replica)
    },
    async now(uids) {
      const all = await ask()
      return new Map(uids.filter((uid) => all.has(uid)).map((uid) => [uid, all.get(uid)!]))
    },
    async close() {
      const open = await session?.catch(() => undefined)
      await open?.close()
    },
  }
}
