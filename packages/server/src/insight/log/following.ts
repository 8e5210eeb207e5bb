import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { hasOlder, moveOlder } from '#server/database/moving-numbers.ts'
import type { Database } from '#server/database/open.ts'

const LOOK_MS = 60_000
/** Other writes wait for a step, which takes some milliseconds. */
const STEP_ROWS = 100
const PAUSE_MS = 50

/** After the update that changed how numbers are stored, changes those of the older log in the background. */
export function startFollowing({
  db,
  log,
  replica,
}: {
  db: Database
  log: Logger
  replica: Pick<Replica, 'leads'>
}): Loop {
  let done = false
  return startLoop({
    name: 'older numbers',
    every_ms: LOOK_MS,
    log,
    async work() {
      if (done || !replica.leads()) return LOOK_MS
      done = !(await hasOlder(db.read))
      if (done) return LOOK_MS
      await db.write((tx) => moveOlder(tx, STEP_ROWS))
      return PAUSE_MS
    },
  })
}
