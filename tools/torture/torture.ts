import { buildServer } from '../../scripts/build-server.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRandom } from '../../packages/simulator/src/random.ts'
import { makeAccounts, newSettings } from './installation.ts'
import { type Killing, killAgain } from './killing.ts'
import { progressOf, startParties } from './parties.ts'
import { type Comparison, compareInPeace, today } from './peace.ts'
import { makePlan } from './plan.ts'
import { openVictim } from './server.ts'
import { damageOf } from './whole.ts'

export type TortureNeeds = {
  seed: string
  messages: number
  kills: number
  devices: number
  /** The URL of an empty PostgreSQL without other users; if absent, the server's own file. */
  database_url?: string | undefined
  /** The share of messages and callbacks with a temporary failure: each is retried 5 s to 70 s later. */
  failing: number
  /** The time for a start: longer is a fault. */
  ready_within_ms: number
  /** The kills end after this long at the latest; afterwards open work has the other time to finish. */
  kill_within_ms: number
  settle_within_ms: number
  say: (line: string) => void
}

export type TortureOutcome = Omit<Killing, 'faults'> &
  Comparison & {
    seed: string
    secs: number
    /** The folder that keeps everything, if there is something to examine. */
    kept: string | undefined
  }

/**
 * The chance that all devices lose their memory at a kill of the server, and the interval of checks of its database.
 */
const CRASHING = 0.06
const EXAMINED_EVERY = 10
const PROGRESS_MS = 5_000

/**
 * One installation under load: its server is killed repeatedly, its devices are cut off and killed. Afterwards,
 * undisturbed, the records of its three parties are compared.
 */
export async function torture(needs: TortureNeeds): Promise<TortureOutcome> {
  const { seed, messages, database_url, say } = needs
  const [began, day] = [performance.now(), today()]
  const folder = mkdtempSync(join(tmpdir(), 'sdd-torture-'))
  const settings = { ...(await newSettings(folder)), ...(database_url && { DATABASE_URL: database_url }) }
  await buildServer()
  const victim = openVictim(settings)
  const { url: server_url, readyAt } = victim
  const mqtt_url = `mqtt://127.0.0.1:${settings.MQTT_PORT}`
  const damage = () => (database_url === undefined ? damageOf(settings.DATA_DIR) : [])
  const ends: (() => unknown)[] = [victim.kill]
  try {
    await victim.serve()
    const accounts = await makeAccounts(server_url, folder, needs.devices)
    const parties = await startParties({ ...needs, server_url, mqtt_url, readyAt, accounts, folder })
    ends.push(parties.abandon)
    await victim.stop()
    const { load, devices } = parties
    const progress = setInterval(() => say(progressOf(parties)), PROGRESS_MS)
    ends.push(() => clearInterval(progress))
    const random = openRandom(`${seed} devices`)
    const { faults, ...killing } = await killAgain({
      plan: makePlan({ ...needs, sqlite: database_url === undefined }),
      victim,
      within_ms: needs.kill_within_ms,
      ready_within_ms: needs.ready_within_ms,
      share: Math.floor(messages / (needs.kills + 1)),
      load,
      say,
      async killed(kills) {
        if (random.chance(CRASHING)) await devices.crash()
        return kills % EXAMINED_EVERY === 0 ? damage() : []
      },
    })
    say(`${killing.kills} kills are over; now everything finishes undisturbed`)
    await victim.serve()
    load.release(Math.max(0, messages - load.released()))
    const { settle_within_ms } = needs
    const compared = await compareInPeace({ server_url, ...accounts, parties, day, settle_within_ms })
    await devices.stop()
    const status = await victim.stop()
    faults.push(
      ...compared.faults,
      ...victim.complaints().map((said) => `The server complained: ${said}`),
      ...damage().map((said) => `The database is damaged: ${said}`),
      ...(status === 0 ? [] : [`The server stopped with exit status ${status}`]),
    )
    const kept = faults.length > 0 ? folder : undefined
    if (kept === undefined) rmSync(folder, { recursive: true })
    return { ...killing, ...compared, seed, secs: (performance.now() - began) / 1_000, kept, faults }
  } catch (error) {
    say(`Aborted; everything is kept in ${folder}`)
    throw error
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
