import { type Clock, isoNow } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import { PARTS_WITHIN_MS } from '#agent/ledger/inbox.ts'
import type { DeviceLedger } from '#agent/ledger/ledger.ts'
import type { Say } from '#agent/say.ts'
import type { DiskRetry } from './disk-retry.ts'

type KeeperNeeds = {
  ledger: Pick<DeviceLedger, 'inbox' | 'typed' | 'deliveries'>
  diskRetry: DiskRetry
  clock: Clock
  say: Say
  /** The ledger has something new for the server. */
  kept: () => void
  changed: () => void
}

/** Stores everything that a driver receives. Each promise settles when it is on disk, however long that takes. */
export function openKeeper({ ledger, diskRetry, clock, say, kept, changed }: KeeperNeeds): Keeper {
  return {
    async received(sms) {
      if (!(await diskRetry.untilStored(() => ledger.inbox.receive(sms, isoNow(clock))))) return
      say(`an SMS arrived from ${sms.from}`)
      kept()
    },
    typedSince: () => diskRetry.untilStored(() => ledger.typed.since(isoNow(clock))),
    async typed(list) {
      const count = await diskRetry.untilStored(() => ledger.typed.take(list, isoNow(clock)))
      if (count === 0) return
      say(`${count} SMS typed on the phone`)
      kept()
    },
    async receivedPart(part) {
      if (!(await diskRetry.untilStored(() => ledger.inbox.receivePart(part, isoNow(clock))))) return
      say(`an SMS of ${part.concat.of} parts arrived from ${part.from}`)
      kept()
    },
    async delivery(report) {
      const taken = await diskRetry.untilStored(() => ledger.deliveries.take(report, isoNow(clock)))
      if (taken === 'unmatched') {
        say(`a delivery report with reference ${report.reference} matches no sent message`)
      }
      kept()
    },
    changed,
  }
}

const LOOK_MS = 60_000
/** A clock that gains more than this between two looks was set. */
const CLOCK_SET_MS = 60_000

/**
 * Gives up on missing parts of long SMS when their time is over. If the clock is set forward, as on a machine without a
 * battery for it, the parts that are kept already have that time again. Returns its stop.
 */
export function watchParts({
  ledger,
  diskRetry,
  clock,
  say,
  kept,
}: Omit<KeeperNeeds, 'changed'>): () => void {
  let cancel = clock.after(0, look)
  /** When the machine's uptime began, as its clock says at the last look. */
  let started_at = clock.now() - clock.uptime()
  let resume_at = -Infinity

  function look(): void {
    if (!isPaused()) giveUp()
    cancel = clock.after(LOOK_MS, look)
  }

  function isPaused(): boolean {
    const before = started_at
    started_at = clock.now() - clock.uptime()
    // A machine that sleeps looks the same, so a pause is not prolonged.
    if (started_at - before > CLOCK_SET_MS && clock.uptime() >= resume_at)
      resume_at = clock.uptime() + PARTS_WITHIN_MS
    return clock.uptime() < resume_at
  }

  function giveUp(): void {
    const given_up = diskRetry.attempt(() => ledger.inbox.giveUpParts(isoNow(clock))) ?? 0
    if (given_up > 0) {
      say(`${given_up} long SMS with missing parts handed on as they are`)
      kept()
    }
  }

  return () => cancel()
}
