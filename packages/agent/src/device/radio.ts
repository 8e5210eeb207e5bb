import { UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import { type Driver, failed, type Outcome, type SendProgress } from '#agent/driver.ts'
import type { Commands, Entry } from '#agent/ledger/commands.ts'
import { Unwritable } from '#agent/ledger/file.ts'
import type { Say } from '#agent/say.ts'
import type { DiskRetry } from './disk-retry.ts'

type Radio = {
  /** There may be something to send, or the radio may be ready. */
  look: () => void
  /** Begins nothing new. Settles when the message on air has its outcome. */
  finish: () => Promise<void>
}

type RadioNeeds = {
  commands: Commands
  driver: Pick<Driver, 'send' | 'radio'>
  diskRetry: DiskRetry
  clock: Clock
  say: Say
  /** The ledger has something new for the server. */
  reported: () => void
}

/** How often to check a radio that is not ready, in case it does not report a change. */
const LOOK_MS = 1_000
/** A message whose radio was not ready for this long is returned, so that another device can send it. */
const HOLD_MS = 10 * 60_000

/** Sends the waiting messages of the ledger, one at a time, oldest first. */
export function startRadio({ commands, driver, diskRetry, clock, say, reported }: RadioNeeds): Radio {
  /** Since when each entry has waited for a radio that is not ready, by its number, in `uptime`: the clock may be set. */
  let held = new Map<number, number>()
  let running: Promise<void> | undefined
  let again = false
  let finishing = false
  let next_look: (() => void) | undefined

  function look(): void {
    again = true
    if (running || finishing) return
    next_look?.()
    next_look = undefined
    running = run()
      .catch(onlyDisk)
      .finally(() => {
        running = undefined
        if (again) look()
        else if (!finishing && commands.waiting() > 0) next_look = clock.after(LOOK_MS, look)
      })
  }

  async function run(): Promise<void> {
    again = false
    for (let entry = due(); entry; entry = due()) {
      if (finishing) return
      if (driver.radio().ready) {
        held.clear()
        await sendOne(entry)
      } else if (!(await giveBack(entry))) return
    }
  }

  /** The next entry to send. First reports the entries that have expired. */
  function due(): Entry | undefined {
    const expired = diskRetry.attempt(() => commands.expire(isoNow(clock)))
    // The disk takes nothing, so the entry still waits, and would be given to the driver again and again.
    if (!expired) return undefined
    for (const { guid, expires_at } of expired)
      say(`${guid} expired at ${expires_at} before it could be sent`)
    if (expired.length > 0) reported()
    return commands.next()
  }

  async function giveBack(entry: Entry): Promise<boolean> {
    const { says } = driver.radio()
    const now = clock.uptime()
    held = new Map(commands.queue().map((n) => [n, held.get(n) ?? now]))
    if (now - held.get(entry.n)! < HOLD_MS) return false
    const detail = `The radio was not ready for ${HOLD_MS / 60_000} min: ${says}`
    await conclude(entry, failed('no_network', detail))
    return true
  }

  async function sendOne(entry: Entry): Promise<void> {
    const air: { state: 'not asked' | 'begun' | 'disk full' | 'cancelled or expired' } = {
      state: 'not asked',
    }
    const progress: SendProgress = {
      async onAir() {
        if (air.state === 'begun') return
        const begun = diskRetry.attempt(() => commands.beginSending(entry, isoNow(clock)))
        air.state = begun ? 'begun' : begun === undefined ? 'disk full' : 'cancelled or expired'
        if (!begun) throw new Error(`Not sent: ${air.state}`)
      },
      partSent: (part) => diskRetry.untilStored(() => commands.partSent(entry, part, isoNow(clock))),
    }
    const { n: _n, step: _step, report: _report, ...message } = entry
    const outcome = await driver
      .send(message, progress)
      .catch((error: Error) => broken(error, air.state === 'begun'))
    if (air.state === 'disk full' && outcome.parts === 0) return diskRetry.pause()
    // An entry that has expired is reported when the next one is looked for.
    if (air.state !== 'cancelled or expired') await conclude(entry, outcome)
  }

  async function conclude(entry: Entry, outcome: Outcome): Promise<void> {
    await diskRetry.untilStored(() => commands.end(entry, outcome, isoNow(clock)))
    if (outcome.state === 'failed') say(`${entry.guid} failed: ${outcome.code}. ${outcome.detail}`)
    else say(`${entry.guid} sent in ${outcome.parts} part${outcome.parts === 1 ? '' : 's'}`)
    reported()
  }

  return {
    look,
    async finish() {
      finishing = true
      next_look?.()
      await running
    },
  }
}

/** The agent stops while the disk takes nothing: the next start settles the message on air. */
function onlyDisk(error: unknown): void {
  if (!(error instanceof Unwritable)) throw error
}

/** A driver must resolve to an outcome and never throw. If it throws on air, the outcome counts as unknown. */
function broken(error: Error, on_air: boolean): Outcome {
  return failed(on_air ? UNKNOWN_OUTCOME : 'modem_error', `The driver failed: ${error.message}`)
}
