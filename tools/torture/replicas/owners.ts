import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connect, settingsOf } from '../../../packages/storage/src/postgres/connection.ts'

/** The server of each connected device, by the database. */
export type Owners = {
  /** The replica that has this device; `undefined` if it is not connected. */
  of(uid: string): Promise<string | undefined>
  /** The devices connected at this server. */
  at(replica: string): Promise<string[]>
  /** The server of each of these devices, without disconnected ones. */
  now(uids: readonly string[]): Promise<Map<string, string>>
  close(): Promise<void>
}

const ASK_AGAIN_MS = 100
const CONNECTED = `select uid, replica from devices where status = 'connected' and unlinked_at is null`

/** Queries over its own session; while PostgreSQL is down, it waits. */
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
