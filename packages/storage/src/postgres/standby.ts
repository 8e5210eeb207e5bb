import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import type { Primary } from './primary.ts'

const ALONE =
  'DATABASE_URL lists several servers, but PostgreSQL waits for no standby (synchronous_standby_names is empty): ' +
  'what was acknowledged may be lost when another server takes over'

/** Call it with each new writing session. Logs a warning, once per server, if PostgreSQL waits for no standby. */
export function openStandbyCheck(
  primary: Pick<Primary, 'url'>,
  log: Pick<Logger, 'warn'> | undefined,
): (session: Connection) => Promise<void> {
  let warned_url: string | undefined
  return async (session) => {
    const { rows } = await session.send(
      `select trim(current_setting('synchronous_standby_names')) = '' as alone`,
    )
    const [{ alone }] = rows as [{ alone: boolean }]
    const url = primary.url()
    if (alone && warned_url !== url) log?.warn(ALONE)
    warned_url = alone ? url : undefined
  }
}
