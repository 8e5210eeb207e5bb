import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { proveTasks } from '../../packages/simulator/src/proof.ts'
import { openRandom } from '../../packages/simulator/src/random.ts'
import { startReceiver } from '../../packages/simulator/src/receiver.ts'
import { startTorturedDevices, type TorturedDevices } from '../../packages/simulator/src/torture/devices.ts'
import { type Load, startLoad } from '../../packages/simulator/src/torture/load.ts'
import { startObserver } from '../../packages/simulator/src/torture/observer.ts'
import { countOpen, readServerBooks } from '../../packages/simulator/src/torture/server-books.ts'
import { judge } from '../../packages/simulator/src/torture/verdict.ts'
import { type Accounts, makeAccounts, MAX_SMS_DAYLY, newSettings } from './installation.ts'
import { type Killing, killAgain } from './killing.ts'
import { makePlan } from './plan.ts'
import { openVictim, type Victim } from './server.ts'
import { damageOf } from './whole.ts'

export type TortureNeeds = {
  seed: string
  messages: number
  kills: number
  devices: number
  /** Of a PostgreSQL that is empty, and serves nobody else; a file of the server's own where absent. */
  database_url?: string | undefined
  /** Share of messages, and of callbacks, that fail in passing: each is tried again 5 s to 70 s later. */
  failing: number
  /** Serving again after a start: longer is a fault. */
  ready_within_ms: number
  /** The kills end after so long at the latest; and what is under way then has so long to come to its end. */
  kill_within_ms: number
  settle_within_ms: number
  say: (line: string) => void
}

export type TortureOutcome = Killing & {
  seed: string
  secs: number
  tasks: number
  sms: number
  acknowledged: number
  /** Messages by the state in which they ended. */
  ends: Record<string, number>
  on_air: number
  reports: number
  callbacks: { heard: number; repeated: number }
  devices: ReturnType<TorturedDevices['counts']>
  observed: { entries: number; looks: number }
  /** Where everything is kept, if there is something to look at. */
  kept: string | undefined
  /** One sentence for each thing that is not as it must be. */
  faults: string[]
}

/**
 * One installation under load, whose server is killed again and again and whose devices are cut off and killed; then,
 * in peace, what its three parties have in writing is compared.
 */
export async function torture(needs: TortureNeeds): Promise<TortureOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-torture-'))
  const { database_url } = needs
  const settings = { ...(await newSettings(folder)), ...(database_url && { DATABASE_URL: database_url }) }
  const victim = openVictim(settings)
  try {
    await victim.serve()
    const accounts = await makeAccounts(victim.url, folder, needs.devices)
    const outcome = await run(needs, victim, accounts, {
      mqtt_url: `mqtt://127.0.0.1:${settings.MQTT_PORT}`,
      ledger_path: join(folder, 'devices.ledger'),
      damage: () => (database_url === undefined ? damageOf(settings.DATA_DIR) : []),
    })
    const whole = outcome.faults.length === 0
    if (whole) rmSync(folder, { recursive: true })
    return { ...outcome, kept: whole ? undefined : folder }
  } finally {
    victim.kill()
  }
}

type Place = { mqtt_url: string; ledger_path: string; damage: () => string[] }

async function run(needs: TortureNeeds, victim: Victim, accounts: Accounts, place: Place) {
  const { seed, messages, say } = needs
  const { url } = victim
  const { token, key, webhook_secret } = accounts
  const began = performance.now()
  const began_day = new Date().toISOString().slice(0, 10)
  const receiver = await startReceiver({ webhook_secret, refusing: needs.failing, seed })
  const devices = await startTorturedDevices({
    ...place,
    accounts: accounts.devices,
    max_sms_dayly: MAX_SMS_DAYLY,
    failing: needs.failing,
    seed,
  })
  await victim.stop()
  const uids = accounts.devices.map(({ uid }) => uid)
  const load = startLoad({ server_url: url, key, token, uids, receiver, seed })
  const observer = startObserver({ server_url: url, token, readyAt: victim.readyAt })
  const progress = setInterval(() => say(progressOf(load, devices)), 5_000)
  try {
    const random = openRandom(`${seed} devices`)
    const killing = await killAgain({
      plan: makePlan({ ...needs, sqlite: needs.database_url === undefined }),
      victim,
      within_ms: needs.kill_within_ms,
      ready_within_ms: needs.ready_within_ms,
      share: Math.floor(messages / (needs.kills + 1)),
      load,
      say,
      async killed(kills) {
        if (random.chance(CRASHING)) await devices.crash()
        return kills % EXAMINED_EVERY === 0 ? place.damage() : []
      },
    })
    say(`${killing.kills} kills; now everything comes to its end in peace`)
    await victim.serve()
    load.release(Math.max(0, messages - load.released()))
    await load.finish()
    await devices.calm()
    const until = performance.now() + needs.settle_within_ms
    await settled({ url, token }, devices, until)
    const patience_ms = Math.max(1_000, until - performance.now())
    const proof = await proveTasks({ server_url: url, key, submitter: load.tasks, receiver, patience_ms })
    const books = devices.books()
    const server = await readServerBooks({ url, token })
    const same_day = new Date().toISOString().slice(0, 10) === began_day
    const faults = judge({ tasks: load.tasks.tasks, sent: load.console.sent, ...server, same_day, books })
    await observer.stop()
    const counts = devices.counts()
    const status = await stopAll(devices, victim)
    return {
      ...killing,
      seed,
      secs: (performance.now() - began) / 1_000,
      tasks: load.tasks.tasks.size,
      sms: load.console.sent.length,
      acknowledged: load.acknowledged(),
      ends: Object.fromEntries(
        [...Map.groupBy(server.log, ({ state }) => state)].map(([state, { length }]) => [state, length]),
      ),
      on_air: [...books.attempts.values()].flat().reduce((sum, { on_air }) => sum + on_air, 0),
      reports: books.committed,
      callbacks: { heard: receiver.heard.length, repeated: receiver.repetitions() },
      devices: counts,
      observed: observer.seen(),
      faults: [
        ...killing.faults,
        ...proof.faults,
        ...load.console.surprises,
        ...faults,
        ...observer.faults,
        ...devices
          .breaches()
          .map(({ code, uid, guid, detail }) => `${code} on ${uid} ${guid ?? ''}: ${detail}`),
        ...victim.complaints().map((said) => `The server complained: ${said}`),
        ...place.damage().map((said) => `The database is damaged: ${said}`),
        ...(status === 0 ? [] : [`The server stopped with exit status ${status}`]),
      ],
    }
  } finally {
    clearInterval(progress)
    await receiver.stop()
  }
}

/** Chance that all devices lose their memory at a kill of the server; and how often its database is examined. */
const CRASHING = 0.06
const EXAMINED_EVERY = 10
const LOOK_EVERY_MS = 250
/** Nothing has come in for so long, and nothing waits. */
const QUIET_LOOKS = 4

/** Resolves once every message has ended and every report is acknowledged, or when the time is over. */
async function settled(
  server: { url: string; token: string },
  devices: Pick<TorturedDevices, 'books'>,
  until: number,
): Promise<void> {
  let quiet = 0
  let committed = 0
  while (quiet < QUIET_LOOKS && performance.now() < until) {
    await sleep(LOOK_EVERY_MS)
    const books = devices.books()
    const still = books.waiting === 0 && books.committed === committed && (await countOpen(server)) === 0
    quiet = still ? quiet + 1 : 0
    committed = books.committed
  }
}

async function stopAll(devices: TorturedDevices, victim: Victim): Promise<number | null> {
  await devices.stop()
  return victim.stop()
}

function progressOf(load: Load, devices: TorturedDevices): string {
  const { on_air, connected, crashes } = devices.counts()
  const taken = `${load.acknowledged()} of ${load.released()} messages acknowledged`
  return `  ${taken} · ${on_air} on air · ${connected} devices connected, ${crashes} killed`
}
