import { type Commands, openCommands } from './commands.ts'
import { type Deliveries, openDeliveries } from './deliveries.ts'
import { type LedgerFile, openLedgerFile } from './file.ts'
import { type Inbox, openInbox } from './inbox.ts'
import { openOutboxRows, type Outbox } from './outbox.ts'
import { openTyped, type Typed } from './typed.ts'

/** The persistent state of one device. */
export type DeviceLedger = {
  readonly commands: Commands
  readonly deliveries: Deliveries
  readonly inbox: Inbox
  readonly typed: Typed
  readonly outbox: Outbox
}

/** The persistent state of all devices of an agent. */
export type Ledger = {
  device: (uid: string) => DeviceLedger
  /** Deletes entries that are too old to be needed. */
  clean: (now: string) => void
  close: () => void
}

const DAY_MS = 86_400_000
/** The server keeps every message, but repeats a command only while it has no report and until it expires. */
const COMMANDS_FOR_MS = 30 * DAY_MS
const CANCELS_FOR_MS = 90 * DAY_MS
/** Longer than any driver looks back in a phone's inbox or a SIM's memory. */
const RECEIVED_FOR_MS = 365 * DAY_MS
const STRAYS_FOR_MS = DAY_MS

/** Opens or creates the ledger. Throws an Error that names the file if it cannot be used. */
export function openLedger(path: string): Ledger {
  const file = openLedgerFile(path)
  return { ...ledgerIn(file), close: file.close }
}

export function ledgerIn(file: LedgerFile): Omit<Ledger, 'close'> {
  const { db, write } = file
  const dropCommands = db.prepare(`
    delete from command where step = 'over' and ended_at < ? and (expires_at is null or expires_at < ?)
      and not exists (
        select 1 from outbox o where o.uid = command.uid and o.guid = command.guid and o.attempt = command.attempt)`)
  const drops = {
    cancels: db.prepare('delete from forbidden where at < ?'),
    received: db.prepare('delete from received where at < ?'),
    strays: db.prepare('delete from stray_delivery where kept_at < ?'),
  }
  return {
    device(uid) {
      const outbox = openOutboxRows(file, uid)
      const deliveries = openDeliveries({ file, uid, outbox })
      return {
        outbox,
        deliveries,
        commands: openCommands({ file, uid, outbox, settle: deliveries.settle }),
        inbox: openInbox({ file, uid, outbox }),
        typed: openTyped({ file, uid, outbox }),
      }
    },
    clean(now) {
      const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
      write(() => {
        dropCommands.run(before(COMMANDS_FOR_MS), before(DAY_MS))
        drops.cancels.run(before(CANCELS_FOR_MS))
        drops.received.run(before(RECEIVED_FOR_MS))
        drops.strays.run(before(STRAYS_FOR_MS))
      })
    },
  }
}
